import {
  internalError,
  invalid,
  needsHealthCheck,
  resourceOf,
  type Service,
  type ServicePort,
  type ServiceSpec,
  type Status,
  unknownError
} from "@rollcall/api"
import { ErrorList, fieldErrorsText, nameIsPathSegment } from "@rollcall/api/validation"
import * as Result from "effect/Result"
import { withAgreeingIPs } from "../../objects/clusterIPs.ts"
import type { UsedValues } from "./AllocatedValues.ts"
import { withFamilies } from "./families.ts"
import { NodePorts } from "./NodePorts.ts"
import { type AddressRange, inRange, networkAddress } from "./ranges.ts"

/*
 * The values that the server assigns to services. Upstream: pkg/registry/core/service/storage/{alloc,storage}.go,
 * beginCreate and beginUpdate.
 */

/** What can be allocated. */
export interface Allocation {
  /** Where addresses come from, those of the first range first. */
  readonly ranges: ReadonlyArray<AddressRange>
  /** The addresses (texts) and node ports (numbers) of other services. */
  readonly used: UsedValues
  /** Whether nothing is allocated: the values are then only of the form that those of a write have. */
  readonly dryRun?: boolean
}

type Allocated = Result.Result<ServiceSpec, Status>

const resource = resourceOf("Service")

const refuse = (name: string, errors: ErrorList) => Result.fail(invalid(resource, name, errors.all))

const refuseField = (name: string, path: string, value: unknown, why: string) => {
  const errors = new ErrorList()
  errors.invalid(path, value, why)
  return refuse(name, errors)
}

const needsAddress = ({ type }: ServiceSpec): boolean => type !== "ExternalName"
const mayHaveNodePorts = ({ type }: ServiceSpec): boolean => type === "NodePort" || type === "LoadBalancer"
const needsNodePorts = (spec: ServiceSpec): boolean =>
  spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false)

/**
 * Returns an updated spec with the stored values where it omits them, so that the same manifest can be sent again. Node
 * ports go by the names of their ports.
 */
const withStoredValues = (given: ServiceSpec, old: ServiceSpec): ServiceSpec => {
  let spec = given
  if (needsAddress(spec) && needsAddress(old)) {
    if (!spec.clusterIP && old.clusterIP !== undefined) spec = { ...spec, clusterIP: old.clusterIP }
    if ((spec.clusterIPs?.length ?? 0) === 0 && old.clusterIPs !== undefined) {
      spec = { ...spec, clusterIPs: old.clusterIPs }
    }
  }
  if (needsNodePorts(spec) && needsNodePorts(old) && spec.ports !== undefined) {
    const given = new Set(spec.ports.map(({ nodePort = 0 }) => nodePort))
    const before = new Map(old.ports?.map(({ name = "", nodePort = 0 }) => [name, nodePort]))
    const ports = spec.ports.map((port) => {
      const stored = before.get(port.name ?? "") ?? 0
      return (port.nodePort ?? 0) === 0 && stored !== 0 && !given.has(stored) ? { ...port, nodePort: stored } : port
    })
    spec = { ...spec, ports }
  }
  const port = old.healthCheckNodePort ?? 0
  if (port !== 0 && needsHealthCheck(spec) && needsHealthCheck(old) && (spec.healthCheckNodePort ?? 0) === 0) {
    spec = { ...spec, healthCheckNodePort: port }
  }
  return spec
}

/**
 * Returns why no IPAddress can refer to the service by its name, which may be about to be generated. Upstream:
 * pkg/apis/networking/validation, ValidateIPAddress.
 */
const parentFault = ({ generateName = "", name: given = "" }: Service["metadata"]): string | undefined => {
  const errors = new ErrorList()
  const name = given || (generateName && `${generateName}x`)
  if (name === "") errors.required("spec.parentRef.name")
  else errors.invalidEach("spec.parentRef.name", name, nameIsPathSegment(name, false))
  return errors.size === 0 ? undefined : fieldErrorsText(errors.all)
}

/** Returns the first free address of the ranges; for a dry run the address of the first range itself, whatever is free. */
const chooseAddress = ({ dryRun = false, ranges, used }: Allocation): string | undefined => {
  for (const range of ranges) {
    const address = dryRun ? networkAddress(range) : used.nextAddress(range)
    if (address !== undefined) return address
  }
  return undefined
}

/** Returns why a requested address cannot be had, or undefined. A dry run asks one range, and not whether it is free. */
const requestFault = (requested: string, { dryRun = false, ranges, used }: Allocation): string | undefined => {
  if (dryRun) {
    const [range] = ranges
    if (range === undefined) return "allocator not ready"
    if (inRange(range, requested)) return undefined
    return `the provided IP (${requested}) is not in the valid range. The range of valid IPs is ${range.text}`
  }
  if (!ranges.some((range) => inRange(range, requested))) return "the provided network does not match the current range"
  return used.has(requested) ? "provided IP is already allocated" : undefined
}

/** Allocates the cluster IP; a requested one is only checked. */
const withAddress = (metadata: Service["metadata"], spec: ServiceSpec, allocation: Allocation): Allocated => {
  const { name = "" } = metadata
  if (!needsAddress(spec) || spec.clusterIPs?.[0] === "None") return Result.succeed(spec)
  const requested = spec.clusterIPs?.[0] ?? ""
  const parent = allocation.dryRun === true ? undefined : parentFault(metadata)
  const unreferable = (address: string) =>
    `IPAddress.networking.k8s.io ${JSON.stringify(address)} is invalid: ${parent}`
  if (requested === "") {
    const address = chooseAddress(allocation)
    if (address === undefined)
      return Result.fail(
        internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`)
      )
    if (parent !== undefined)
      return refuseField(name, "spec.clusterIPs", [""], `failed to allocate IP: ${unreferable(address)}`)
    return Result.succeed({ ...spec, clusterIP: address, clusterIPs: [address] })
  }
  const fault = requestFault(requested, allocation) ?? (parent === undefined ? undefined : unreferable(requested))
  if (fault === undefined) return Result.succeed(spec)
  return refuseField(name, "spec.clusterIPs", spec.clusterIPs, `failed to allocate IP ${requested}: ${fault}`)
}

/** Returns the node port that a new service asks for at any port of this number: ports of several protocols share it. */
const requestedPort = (ports: ReadonlyArray<ServicePort>, { port }: ServicePort): number =>
  ports.find((other) => other.port === port && (other.nodePort ?? 0) !== 0)?.nodePort ?? 0

type NewPort = Result.Result<number | undefined, Status>

/** Returns the node port that a port of a new service gets; undefined if the range is full. */
const portForNew = (
  name: string,
  spec: ServiceSpec,
  index: number,
  given: Map<number, number>,
  free: NodePorts
): NewPort => {
  const { ports = [] } = spec
  const port = ports[index] as ServicePort
  const { nodePort = 0 } = port
  const shared = given.get(port.port)
  const wanted = shared === undefined ? requestedPort(ports, port) : nodePort || shared
  if (wanted !== 0 && wanted !== shared) {
    const fault = free.take(wanted)
    if (fault !== undefined) return refuseField(name, `spec.ports[${index}].nodePort`, wanted, fault)
  }
  const chosen = wanted === 0 ? free.next() : wanted
  if (shared === undefined && chosen !== undefined) given.set(port.port, chosen)
  return Result.succeed(chosen)
}

/** Returns the node port that a port of an updated service gets; `kept` are those that it had, and those given to ports before. */
const portForUpdated = (
  name: string,
  spec: ServiceSpec,
  index: number,
  kept: Set<number>,
  free: NodePorts
): NewPort => {
  const { nodePort: wanted = 0 } = spec.ports?.[index] ?? {}
  if (wanted === 0) return Result.succeed(free.next())
  const fault = kept.has(wanted) ? undefined : free.take(wanted)
  if (fault !== undefined) return refuseField(name, `spec.ports[${index}].nodePort`, wanted, fault)
  kept.add(wanted)
  return Result.succeed(wanted)
}

/** Allocates the node ports of a service: those that it asks for, and others where its type needs them. */
const withNodePorts = (name: string, spec: ServiceSpec, old: ServiceSpec | undefined, free: NodePorts): Allocated => {
  if (!mayHaveNodePorts(spec) || spec.ports === undefined) return Result.succeed(spec)
  const kept = new Set(old?.ports?.map(({ nodePort = 0 }) => nodePort))
  const given = new Map<number, number>()
  const seen = new Set<string>()
  const ports: Array<ServicePort> = []
  for (const [index, port] of spec.ports.entries()) {
    if ((port.nodePort ?? 0) === 0 && !needsNodePorts(spec)) {
      ports.push(port)
      continue
    }
    const chosen =
      old === undefined ? portForNew(name, spec, index, given, free) : portForUpdated(name, spec, index, kept, free)
    if (Result.isFailure(chosen)) return Result.fail(chosen.failure)
    const nodePort = chosen.success
    if (nodePort === undefined) return Result.fail(internalError("failed to allocate a nodePort: range is full"))
    const pair = `{${port.protocol} ${nodePort}}`
    if (old !== undefined && seen.has(pair)) return Result.fail(unknownError(`duplicate nodePort: ${pair}`))
    seen.add(pair)
    ports.push({ ...port, nodePort })
  }
  return Result.succeed({ ...spec, ports })
}

/** Allocates the port at which load balancers ask whether a node has endpoints of the service. */
const withHealthPort = (spec: ServiceSpec, old: ServiceSpec | undefined, free: NodePorts): Allocated => {
  if (!needsHealthCheck(spec) || (old !== undefined && needsHealthCheck(old))) return Result.succeed(spec)
  const { healthCheckNodePort: requested = 0 } = spec
  const fault = requested === 0 ? undefined : free.take(requested)
  if (fault !== undefined) {
    return Result.fail(internalError(`failed to allocate requested HealthCheck NodePort ${requested}: ${fault}`))
  }
  const healthCheckNodePort = requested === 0 ? free.next() : requested
  return healthCheckNodePort === undefined
    ? Result.fail(internalError("failed to allocate a HealthCheck NodePort 0: range is full"))
    : Result.succeed({ ...spec, healthCheckNodePort })
}

/** Allocates everything that the server assigns to a service: address, IP families, node ports. */
export const allocate = (
  service: Service,
  old: Service | undefined,
  allocation: Allocation
): Result.Result<Service, Status> => {
  const { name = "" } = service.metadata
  const stored = old === undefined ? undefined : (old.spec ?? {})
  const errors = new ErrorList()
  const given = stored === undefined ? (service.spec ?? {}) : withStoredValues(service.spec ?? {}, stored)
  const complete = withFamilies(errors, withAgreeingIPs(given, stored), stored)
  if (errors.size > 0) return refuse(name, errors)
  const free = new NodePorts(allocation.used, allocation.dryRun)
  for (const { nodePort = 0 } of stored?.ports ?? []) if (nodePort !== 0) free.keep(nodePort)
  const hadAddress = stored !== undefined && needsAddress(stored)
  let spec = hadAddress ? Result.succeed(complete) : withAddress(service.metadata, complete, allocation)
  if (Result.isSuccess(spec)) spec = withNodePorts(name, spec.success, stored, free)
  if (Result.isSuccess(spec)) spec = withHealthPort(spec.success, stored, free)
  return Result.map(spec, (allocated) => ({ ...service, spec: allocated }))
}
