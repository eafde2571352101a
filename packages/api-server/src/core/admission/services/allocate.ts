import type { Service, ServicePort, ServiceSpec } from "@rollcall/api"
import { ErrorList, type FieldErrors } from "@rollcall/api/validation"
import * as Result from "effect/Result"
import {
  type AddressRange,
  FIRST_NODE_PORT,
  inRange,
  isNodePort,
  LAST_NODE_PORT,
  nextAddress,
  nextNodePort
} from "./ranges.ts"

/*
 * The values that the server assigns to services. Upstream: pkg/registry/core/service/storage/{alloc,storage}.go,
 * patchAllocatedValues, allocateCreate and allocateUpdate.
 */

/** What can be allocated. */
export interface Allocation {
  readonly range: AddressRange
  /** The addresses (texts) and node ports (numbers) of other services. */
  readonly used: ReadonlySet<string | number>
}

const needsAddress = ({ type }: ServiceSpec): boolean => type !== "ExternalName"
const isHeadless = ({ clusterIP, clusterIPs }: ServiceSpec): boolean => (clusterIPs?.[0] ?? clusterIP) === "None"

const needsNodePorts = (spec: ServiceSpec): boolean =>
  spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false)

const isSet = (text: string | undefined): text is string => text !== undefined && text !== ""

/** Removes the address fields. */
const withoutAddresses = (spec: ServiceSpec): ServiceSpec => {
  const { clusterIP: _ip, clusterIPs: _ips, ipFamilies: _families, ipFamilyPolicy: _policy, ...rest } = spec
  return rest
}

/** Fills the fields that an update omits from the stored service. */
const withStored = (spec: ServiceSpec, old: ServiceSpec): ServiceSpec => {
  let patched = spec
  if (needsAddress(spec) && needsAddress(old)) {
    if (!isSet(spec.clusterIP) && old.clusterIP !== undefined) patched = { ...patched, clusterIP: old.clusterIP }
    if ((spec.clusterIPs?.length ?? 0) === 0 && patched.clusterIP === old.clusterIP && old.clusterIPs !== undefined) {
      patched = { ...patched, clusterIPs: old.clusterIPs }
    }
    const { ipFamilies, ipFamilyPolicy } = old
    if (patched.ipFamilies === undefined && ipFamilies !== undefined) patched = { ...patched, ipFamilies }
    if (patched.ipFamilyPolicy === undefined && ipFamilyPolicy !== undefined) patched = { ...patched, ipFamilyPolicy }
  }
  if (!needsNodePorts(spec) || !needsNodePorts(old)) return patched
  const before = new Map(old.ports?.map((port) => [`${port.protocol}/${port.port}`, port.nodePort ?? 0]))
  const ports = patched.ports?.map((port) => {
    const nodePort = before.get(`${port.protocol}/${port.port}`) ?? 0
    return (port.nodePort ?? 0) === 0 && nodePort !== 0 ? { ...port, nodePort } : port
  })
  return ports === undefined ? patched : { ...patched, ports }
}

/** Sets clusterIPs from clusterIP if only that is set. */
const withClusterIPs = (spec: ServiceSpec): ServiceSpec => {
  const { clusterIP, clusterIPs = [] } = spec
  if (isSet(clusterIP) && clusterIPs.length === 0) return { ...spec, clusterIPs: [clusterIP] }
  return spec
}

/** Sets the IP families and their policy where they are missing. */
const withFamilies = (spec: ServiceSpec): ServiceSpec => {
  // The owner of a headless service without a selector sets its endpoints, of either family, so it gets both IP families.
  const both = isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0
  return {
    ...spec,
    ipFamilies: spec.ipFamilies ?? (both ? ["IPv4", "IPv6"] : ["IPv4"]),
    ipFamilyPolicy: spec.ipFamilyPolicy ?? (both ? "RequireDualStack" : "SingleStack")
  }
}

/** Returns why the requested address cannot be allocated, or undefined if it can. */
const addressFault = (address: string, { range, used }: Allocation): string | undefined => {
  if (!inRange(range, address)) {
    return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range.text}`
  }
  return used.has(address) ? "provided IP is already allocated" : undefined
}

/** Allocates an address and adds the error if there is none. The requested one is only checked. */
const allocateAddress = (errors: ErrorList, spec: ServiceSpec, allocation: Allocation): ServiceSpec => {
  const complete = withFamilies(spec)
  if (isHeadless(complete)) return complete
  const requested = complete.clusterIPs?.[0]
  if (!isSet(requested)) {
    const address = nextAddress(allocation.range, (candidate) => allocation.used.has(candidate))
    if (address !== undefined) return { ...complete, clusterIP: address, clusterIPs: [address] }
    errors.invalid("spec.clusterIPs", [], "failed to allocate a serviceIP: range is full")
    return complete
  }
  const fault = addressFault(requested, allocation)
  if (fault !== undefined) {
    errors.invalid("spec.clusterIPs", complete.clusterIPs, `failed to allocate IP ${requested}: ${fault}`)
  }
  return complete
}

/** Allocates the node ports that the service needs, and adds errors for those that cannot be allocated. */
const allocatePorts = (errors: ErrorList, spec: ServiceSpec, { used }: Allocation): ServiceSpec => {
  if (!needsNodePorts(spec) || spec.ports === undefined) return spec
  const ownPorts = new Set(spec.ports.map(({ nodePort = 0 }) => nodePort))
  const ports = spec.ports.map((port, index): ServicePort => {
    const { nodePort = 0 } = port
    const path = `spec.ports[${index}].nodePort`
    if (nodePort === 0) {
      const found = nextNodePort((candidate) => used.has(candidate) || ownPorts.has(candidate))
      if (found === undefined) {
        errors.invalid(path, nodePort, "failed to allocate a nodePort: range is full")
        return port
      }
      ownPorts.add(found)
      return { ...port, nodePort: found }
    }
    if (!isNodePort(nodePort)) {
      const range = `${FIRST_NODE_PORT}-${LAST_NODE_PORT}`
      errors.invalid(path, nodePort, `provided port is not in the valid range. The range of valid ports is ${range}`)
    } else if (used.has(nodePort)) errors.invalid(path, nodePort, "provided port is already allocated")
    return port
  })
  return { ...spec, ports }
}

/** Removes the node ports that the service's new type does not use. */
const withoutNodePorts = (spec: ServiceSpec, old: ServiceSpec): ServiceSpec => {
  if (needsNodePorts(spec) || !needsNodePorts(old) || spec.ports === undefined) return spec
  const before = new Set(old.ports?.map(({ nodePort = 0 }) => nodePort))
  const ports = spec.ports.map((port) => {
    const { nodePort = 0, ...rest } = port
    return nodePort !== 0 && before.has(nodePort) ? rest : port
  })
  return { ...spec, ports }
}

/**
 * Returns an updated service with the stored addresses and node ports where it omits them, and without those that its new
 * type does not use.
 */
export const withStoredAllocations = (service: Service, old: Service): Service => {
  if (service.spec === undefined || old.spec === undefined) return service
  const spec = withoutNodePorts(withStored(service.spec, old.spec), old.spec)
  // A service that becomes ExternalName loses its address; validation rejects an address that the caller set.
  const losesAddress = !needsAddress(spec) && needsAddress(old.spec)
  return { ...service, spec: losesAddress ? withoutAddresses(spec) : spec }
}

/** Allocates everything that the server assigns to a service: address, IP families, node ports. */
export const allocate = (service: Service, allocation: Allocation): Result.Result<Service, FieldErrors> => {
  const errors = new ErrorList()
  let spec = service.spec ?? {}
  if (needsAddress(spec)) spec = allocateAddress(errors, withClusterIPs(spec), allocation)
  spec = allocatePorts(errors, spec, allocation)
  return errors.size > 0 ? Result.fail(errors.all) : Result.succeed({ ...service, spec })
}
