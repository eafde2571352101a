import {
  canonicalJson,
  controllerReference,
  type Endpoint,
  type EndpointAddress,
  type EndpointSlice,
  type EndpointSubset,
  type Endpoints
} from "@rollcall/api"
import { slicePortsInOrder } from "./portOrder.ts"
import { endpointKey, groupKey, labelManagedBy, labelServiceName, type SliceChanges } from "./slices.ts"

/** Upstream: pkg/controller/endpointslicemirroring/reconciler.go, reconciler_helpers.go, utils.go. */

/** `--mirroring-max-endpoints-per-subset` */
const MAX_PER_SUBSET = 1000

export const mirrorManager = "endpointslicemirroring-controller.k8s.io"

const skipLabel = "endpointslice.kubernetes.io/skip-mirror"
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader"
/** Annotations that say nothing about the addresses. */
const ownAnnotations = [
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration"
]

/** Whether an Endpoints object is to be mirrored, if its service has no selector. */
export const isMirrored = ({ metadata: { annotations, labels } }: Endpoints): boolean =>
  labels?.[skipLabel] !== "true" && annotations?.[leaderAnnotation] === undefined

const familyOf = (ip: string): "IPv4" | "IPv6" | undefined => {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(ip) && ip.split(".").every((part) => Number(part) < 256)) return "IPv4"
  return ip.includes(":") ? "IPv6" : undefined
}

interface Group {
  readonly addressType: "IPv4" | "IPv6"
  readonly ports: NonNullable<EndpointSlice["ports"]>
  readonly endpoints: Map<string, Endpoint>
}

/** What there is to mirror, and how many addresses are left out. */
interface Desired {
  readonly groups: ReadonlyMap<string, Group>
  readonly invalid: number
  readonly skipped: number
}

const endpointFor = ({ hostname, ip, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname ? { hostname } : {}),
  ...(nodeName === undefined ? {} : { nodeName }),
  ...(targetRef === undefined ? {} : { targetRef })
})

const portsOf = ({ ports = [] }: EndpointSubset): Group["ports"] =>
  ports.map(({ appProtocol, name = "", port, protocol = "TCP" }) => ({
    name,
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol })
  }))

const desiredOf = ({ subsets = [] }: Endpoints): Desired => {
  const groups = new Map<string, Group>()
  let [invalid, skipped] = [0, 0]
  for (const subset of subsets) {
    const ports = slicePortsInOrder(portsOf(subset))
    const addresses = [
      ...(subset.addresses ?? []).map((address) => endpointFor(address, true)),
      ...(subset.notReadyAddresses ?? []).map((address) => endpointFor(address, false))
    ]
    let added = 0
    for (const endpoint of addresses) {
      if (added >= MAX_PER_SUBSET) break
      const addressType = familyOf(endpoint.addresses[0] ?? "")
      if (addressType === undefined) {
        invalid++
        continue
      }
      const key = groupKey({ addressType, ports })
      const group = groups.get(key) ?? { addressType, ports, endpoints: new Map() }
      groups.set(key, group)
      group.endpoints.set(endpointKey(endpoint), endpoint)
      added++
    }
    skipped += addresses.length - added
  }
  return { groups, invalid, skipped }
}

const without = (values: Readonly<Record<string, string>> = {}, keys: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)))

const sliceOf = (
  endpoints: Endpoints,
  group: Group,
  before: EndpointSlice | undefined,
  isShown: boolean
): EndpointSlice => {
  const { annotations, labels, name = "", namespace = "default" } = endpoints.metadata
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      ...(isShown ? {} : { generateName: `${name}-` }),
      ...(before === undefined ? {} : { name: before.metadata.name ?? "" }),
      namespace,
      labels: { ...labels, [labelServiceName]: name, [labelManagedBy]: mirrorManager },
      annotations: without(annotations, ownAnnotations),
      ownerReferences: [controllerReference(endpoints)]
    },
    addressType: group.addressType,
    endpoints: [...group.endpoints.values()].slice(0, MAX_PER_SUBSET),
    ports: group.ports
  }
}

/** Whether a slice shows all of the desired state, but for the order of its endpoints. */
const isCurrent = (slice: EndpointSlice, desired: EndpointSlice): boolean => {
  const shown = ({ endpoints = [], metadata }: EndpointSlice) =>
    canonicalJson({
      labels: metadata.labels ?? {},
      annotations: metadata.annotations ?? {},
      owner: metadata.ownerReferences?.[0]?.uid ?? "",
      endpoints: endpoints.map((endpoint) => canonicalJson(endpoint)).sort()
    })
  return shown(slice) === shown(desired)
}

/** The slices to write for an Endpoints object, and an Event for what is left out. */
export interface Mirroring extends SliceChanges {
  readonly warnings: ReadonlyArray<readonly [reason: string, message: string]>
}

export const mirroring = (endpoints: Endpoints, existing: ReadonlyArray<EndpointSlice>): Mirroring => {
  const { groups, invalid, skipped } = desiredOf(endpoints)
  const create: Array<EndpointSlice> = []
  const update: Array<EndpointSlice> = []
  const shownBy = new Map([...groups.keys()].map((key) => [key, existing.find((one) => groupKey(one) === key)]))
  const left = new Set(existing)
  for (const slice of shownBy.values()) if (slice !== undefined) left.delete(slice)
  for (const [key, group] of groups) {
    const shown = shownBy.get(key)
    // A slice of other ports is written anew where it would be deleted.
    const recycled = shown ?? [...left].find(({ addressType }) => addressType === group.addressType)
    if (recycled !== undefined) left.delete(recycled)
    const desired = sliceOf(endpoints, group, recycled, shown !== undefined)
    if (recycled === undefined) create.push(desired)
    else if (shown === undefined || !isCurrent(shown, desired)) update.push(desired)
  }
  const warnings: Array<readonly [string, string]> = []
  if (invalid > 0) {
    warnings.push(["InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`])
  }
  if (skipped > invalid) {
    const most = `A max of ${MAX_PER_SUBSET} addresses can be mirrored to EndpointSlices per Endpoints subset`
    warnings.push(["TooManyAddressesToMirror", `${most}. ${skipped} addresses were skipped`])
  }
  return { create, update, remove: [...left], warnings }
}
