import { canonicalJson, controllerReference, type Endpoint, type EndpointSlice, type Service } from "@rollcall/api"
import type { AddressType, EndpointPorts } from "./serviceEndpoints.ts"

/** `--max-endpoints-per-slice` */
export const MAX_ENDPOINTS_PER_SLICE = 100

export const labelServiceName = "kubernetes.io/service-name"
export const labelManagedBy = "endpointslice.kubernetes.io/managed-by"
export const sliceManager = "endpointslice-controller.k8s.io"
const labelHeadless = "service.kubernetes.io/headless"

/** Endpoints that can share slices: of one family, with the same ports. */
export interface EndpointGroup {
  readonly addressType: AddressType
  readonly ports: EndpointPorts
  readonly endpoints: ReadonlyArray<Endpoint>
}

/** The slices to create, to update and to delete. */
export interface SliceChanges {
  readonly create: ReadonlyArray<EndpointSlice>
  readonly update: ReadonlyArray<EndpointSlice>
  readonly remove: ReadonlyArray<EndpointSlice>
}

/**
 * Returns a slice as a controller writes it: lists without elements are absent, as protobuf has no empty ones. A list that is
 * written as empty would count as set by the controller.
 */
export const writtenSlice = ({ endpoints = [], ports, ...slice }: EndpointSlice): EndpointSlice => ({
  ...slice,
  ...(endpoints.length > 0 && { endpoints }),
  ...(ports?.length && { ports })
})

/** The key of a group, whatever the order of its ports; slices of different groups are separate. */
export const groupKey = ({ addressType, ports }: Pick<EndpointSlice, "addressType" | "ports">): string =>
  `${addressType} ${(ports ?? []).map(canonicalJson).sort().join()}`

/** Identifies an endpoint across changes: by the UID of its pod, or by its addresses. */
export const endpointKey = ({ addresses, targetRef }: Endpoint): string => targetRef?.uid ?? addresses.join()

/**
 * Whether two endpoints are equal. Compared by field for speed: a service with thousands of pods compares all of them
 * on every change.
 */
const sameEndpoint = (left: Endpoint, right: Endpoint): boolean =>
  left === right ||
  (left.nodeName === right.nodeName &&
    left.zone === right.zone &&
    left.hostname === right.hostname &&
    left.conditions?.ready === right.conditions?.ready &&
    left.conditions?.serving === right.conditions?.serving &&
    left.conditions?.terminating === right.conditions?.terminating &&
    left.targetRef?.uid === right.targetRef?.uid &&
    left.targetRef?.name === right.targetRef?.name &&
    left.addresses.length === right.addresses.length &&
    left.addresses.every((address, index) => address === right.addresses[index]) &&
    (left.hints === right.hints || canonicalJson(left.hints ?? {}) === canonicalJson(right.hints ?? {})))

/** The labels of a service's slices: the service's own, and those that say whose they are. */
const labelsOf = (service: Service): Readonly<Record<string, string>> => {
  const { [labelHeadless]: _, ...own } = service.metadata.labels ?? {}
  return {
    ...own,
    [labelServiceName]: service.metadata.name ?? "",
    [labelManagedBy]: sliceManager,
    ...(service.spec?.clusterIP === "None" ? { [labelHeadless]: "" } : {})
  }
}

const newSlice = (
  service: Service,
  { addressType, ports }: Pick<EndpointGroup, "addressType" | "ports">,
  endpoints: ReadonlyArray<Endpoint>
): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: {
    generateName: `${service.metadata.name}-`,
    namespace: service.metadata.namespace ?? "default",
    labels: labelsOf(service),
    ownerReferences: [controllerReference(service)]
  },
  addressType,
  endpoints,
  ports
})

/** An existing slice, its desired endpoints, and whether it must be written. */
interface Draft {
  readonly slice: EndpointSlice
  endpoints: Array<Endpoint>
  changed: boolean
}

/** Keeps each endpoint in its current slice; endpoints that are no longer wanted are removed. */
const draftOf = (slice: EndpointSlice, desired: Map<string, Endpoint>, labels: string): Draft => {
  const endpoints: Array<Endpoint> = []
  let changed = canonicalJson(slice.metadata.labels ?? {}) !== labels
  for (const endpoint of slice.endpoints ?? []) {
    const key = endpointKey(endpoint)
    const next = desired.get(key)
    desired.delete(key)
    if (next === undefined) changed = true
    else {
      if (!sameEndpoint(endpoint, next)) changed = true
      endpoints.push(next)
    }
  }
  return { slice, endpoints, changed }
}

/** Whether a slice has lost all its endpoints: it is then deleted, or written anew as another one. */
const isEmptied = ({ endpoints, slice }: Draft): boolean => endpoints.length === 0 && (slice.endpoints ?? []).length > 0

/**
 * Adds new endpoints first to slices that are written anyway. Full groups of the remaining ones get new slices; what is
 * left goes to the fullest slice that can take all of it, or to a new slice. Returns the new slices.
 */
const placeEndpoints = (service: Service, group: EndpointGroup, drafts: Array<Draft>, unplaced: Array<Endpoint>) => {
  const fullestFirst = drafts.toSorted((left, right) => right.endpoints.length - left.endpoints.length)
  for (const draft of fullestFirst) {
    if (draft.changed && !isEmptied(draft))
      draft.endpoints.push(...unplaced.splice(0, Math.max(0, MAX_ENDPOINTS_PER_SLICE - draft.endpoints.length)))
  }
  const create: Array<EndpointSlice> = []
  while (unplaced.length >= MAX_ENDPOINTS_PER_SLICE)
    create.push(newSlice(service, group, unplaced.splice(0, MAX_ENDPOINTS_PER_SLICE)))
  if (unplaced.length === 0) return create
  const [fullest] = drafts
    .filter((draft) => !isEmptied(draft) && draft.endpoints.length + unplaced.length <= MAX_ENDPOINTS_PER_SLICE)
    .sort((left, right) => right.endpoints.length - left.endpoints.length)
  if (fullest === undefined) create.push(newSlice(service, group, unplaced))
  else {
    fullest.endpoints.push(...unplaced)
    fullest.changed = true
  }
  return create
}

/**
 * The writes that make a service's slices contain exactly these endpoints, with as few writes as possible.
 * Upstream: staging/src/k8s.io/endpointslice/reconciler.go reconcileByPortMapping.
 */
export const sliceChanges = (
  service: Service,
  groups: ReadonlyArray<EndpointGroup>,
  existing: ReadonlyArray<EndpointSlice>
): SliceChanges => {
  const types = new Set<EndpointSlice["addressType"]>(groups.map(({ addressType }) => addressType))
  const ofOtherTypes = existing.filter(({ addressType }) => !types.has(addressType))
  const create: Array<EndpointSlice> = []
  const update: Array<EndpointSlice> = []
  const remove: Array<EndpointSlice> = [...ofOtherTypes]
  for (const addressType of types) {
    const ofType = <A extends { readonly addressType: string }>(items: ReadonlyArray<A>) =>
      items.filter((item) => item.addressType === addressType)
    const changes = reuseSlices(changesOfType(service, ofType(groups), ofType(existing)))
    create.push(...changes.create)
    update.push(...changes.update)
    remove.push(...changes.remove)
  }
  return { create, update, remove }
}

/** Turns pairs of a deletion and a creation into one update: the deleted slice gets the content. Upstream: finalize. */
const reuseSlices = ({ create, remove, update }: SliceChanges): SliceChanges => {
  const count = Math.min(create.length, remove.length)
  if (count === 0) return { create, remove, update }
  const renamed = remove.slice(0, count).map((slice, index): EndpointSlice => {
    const next = create[create.length - 1 - index] ?? slice
    // Without a revision: whatever the slice has become, it is overwritten.
    return { ...next, metadata: { ...next.metadata, name: slice.metadata.name ?? "" } }
  })
  return {
    create: create.slice(0, create.length - count),
    update: [...update, ...renamed],
    remove: remove.slice(count)
  }
}

/** The changes for one address family; slices of different families are independent. */
const changesOfType = (
  service: Service,
  groups: ReadonlyArray<EndpointGroup>,
  existing: ReadonlyArray<EndpointSlice>
): SliceChanges => {
  const labels = labelsOf(service)
  const labelsJson = canonicalJson(labels)
  const create: Array<EndpointSlice> = []
  const update: Array<EndpointSlice> = []
  const remove: Array<EndpointSlice> = []
  const left = new Set(existing)
  let keptCount = 0
  for (const group of groups) {
    const key = groupKey(group)
    const desired = new Map(group.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]))
    const drafts: Array<Draft> = []
    for (const slice of existing) {
      if (groupKey(slice) !== key) continue
      left.delete(slice)
      drafts.push(draftOf(slice, desired, labelsJson))
    }
    create.push(...placeEndpoints(service, group, drafts, [...desired.values()]))
    for (const draft of drafts) {
      const { changed, endpoints, slice } = draft
      if (isEmptied(draft) || group.endpoints.length === 0) {
        remove.push(slice)
        continue
      }
      keptCount++
      if (changed) update.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints })
    }
  }
  remove.push(...left)
  return {
    create,
    update,
    remove: keptCount + create.length > 0 ? remove : keepEmptySlice(service, groups, create, remove)
  }
}

/**
 * Keeps one empty slice for a service without endpoints, to distinguish it from a service that was not synced yet. One
 * with other labels is written anew. Returns the slices to remove; adds to `create` if no empty slice stays.
 */
const keepEmptySlice = (
  service: Service,
  [group]: ReadonlyArray<EndpointGroup>,
  create: Array<EndpointSlice>,
  remove: ReadonlyArray<EndpointSlice>
): ReadonlyArray<EndpointSlice> => {
  const empty = newSlice(service, { addressType: group?.addressType ?? "IPv4", ports: [] }, [])
  const [only] = remove
  const isKept =
    remove.length === 1 &&
    (only?.endpoints ?? []).length === 0 &&
    (only?.ports ?? []).length === 0 &&
    canonicalJson(only?.metadata.labels ?? {}) === canonicalJson(empty.metadata.labels ?? {})
  if (isKept) return []
  create.push(empty)
  return remove
}
