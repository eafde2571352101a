import { canonicalJson, controllerReference, type Endpoint, type EndpointSlice, type Service } from "@rollcall/api"
import type { AddressType, EndpointPorts } from "./serviceEndpoints.ts"

/** `--max-endpoints-per-slice` */
export const MOST_ENDPOINTS = 100

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

export interface SliceChanges {
  readonly create: ReadonlyArray<EndpointSlice>
  readonly update: ReadonlyArray<EndpointSlice>
  readonly remove: ReadonlyArray<EndpointSlice>
}

/** The key of a group; slices of different groups are separate. */
export const groupKey = ({ addressType, ports }: Pick<EndpointSlice, "addressType" | "ports">): string =>
  `${addressType} ${canonicalJson(ports ?? [])}`

export const identity = ({ addresses, targetRef }: Endpoint): string => targetRef?.uid ?? addresses.join()

/** Compared by field for speed: a service with thousands of pods compares all of them on every change. */
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

/** A slice and its desired endpoints. */
interface Draft {
  readonly slice: EndpointSlice
  endpoints: Array<Endpoint>
  changed: boolean
}

/** Keeps each endpoint in its current slice; endpoints that are no longer wanted are removed. */
const draftOf = (slice: EndpointSlice, wanted: Map<string, Endpoint>, labels: string): Draft => {
  const endpoints: Array<Endpoint> = []
  let changed = canonicalJson(slice.metadata.labels ?? {}) !== labels
  for (const endpoint of slice.endpoints ?? []) {
    const key = identity(endpoint)
    const next = wanted.get(key)
    wanted.delete(key)
    if (next === undefined) changed = true
    else {
      if (!sameEndpoint(endpoint, next)) changed = true
      endpoints.push(next)
    }
  }
  return { slice, endpoints, changed }
}

/**
 * Adds new endpoints first to slices that are written anyway, then to the fullest slice with room for the rest, then
 * to new ones.
 */
const place = (service: Service, group: EndpointGroup, drafts: Array<Draft>, rest: Array<Endpoint>) => {
  const fullestFirst = drafts.toSorted((left, right) => right.endpoints.length - left.endpoints.length)
  for (const draft of fullestFirst) {
    if (draft.changed) draft.endpoints.push(...rest.splice(0, Math.max(0, MOST_ENDPOINTS - draft.endpoints.length)))
  }
  const create: Array<EndpointSlice> = []
  while (rest.length >= MOST_ENDPOINTS) create.push(newSlice(service, group, rest.splice(0, MOST_ENDPOINTS)))
  if (rest.length === 0) return create
  const [fullest] = drafts
    .filter(({ endpoints }) => endpoints.length > 0 && endpoints.length + rest.length <= MOST_ENDPOINTS)
    .sort((left, right) => right.endpoints.length - left.endpoints.length)
  if (fullest === undefined) create.push(newSlice(service, group, rest))
  else {
    fullest.endpoints.push(...rest)
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
  const gone = existing.filter(({ addressType }) => !types.has(addressType))
  const create: Array<EndpointSlice> = []
  const update: Array<EndpointSlice> = []
  const remove: Array<EndpointSlice> = [...gone]
  for (const addressType of types) {
    const ofType = <A extends { readonly addressType: string }>(items: ReadonlyArray<A>) =>
      items.filter((item) => item.addressType === addressType)
    const changes = reused(changesOfType(service, ofType(groups), ofType(existing)))
    create.push(...changes.create)
    update.push(...changes.update)
    remove.push(...changes.remove)
  }
  return { create, update, remove }
}

/** Reuses a slice to be deleted for one to be created. Upstream: finalize. */
const reused = ({ create, remove, update }: SliceChanges): SliceChanges => {
  const count = Math.min(create.length, remove.length)
  if (count === 0) return { create, remove, update }
  const renamed = remove.slice(0, count).map((old, index): EndpointSlice => {
    const { addressType, endpoints = [], metadata, ports } = create[create.length - 1 - index] ?? old
    const { generateName: _, ...own } = metadata
    const next = { ...old, addressType, endpoints, ...(ports === undefined ? {} : { ports }) }
    return { ...next, metadata: { ...old.metadata, ...own, name: old.metadata.name ?? "" } }
  })
  return {
    create: create.slice(0, create.length - count),
    update: [...update, ...renamed],
    remove: remove.slice(count)
  }
}

/** The changes for one family, whose slices are separate from the other's. */
const changesOfType = (
  service: Service,
  groups: ReadonlyArray<EndpointGroup>,
  existing: ReadonlyArray<EndpointSlice>
): SliceChanges => {
  const labels = labelsOf(service)
  const labelText = canonicalJson(labels)
  const create: Array<EndpointSlice> = []
  const update: Array<EndpointSlice> = []
  const remove: Array<EndpointSlice> = []
  const left = new Set(existing)
  let kept = 0
  for (const group of groups) {
    const key = groupKey(group)
    const wanted = new Map(group.endpoints.map((endpoint) => [identity(endpoint), endpoint]))
    const drafts: Array<Draft> = []
    for (const slice of existing) {
      if (groupKey(slice) !== key) continue
      left.delete(slice)
      drafts.push(draftOf(slice, wanted, labelText))
    }
    create.push(...place(service, group, drafts, [...wanted.values()]))
    for (const { changed, endpoints, slice } of drafts) {
      if (endpoints.length === 0) {
        remove.push(slice)
        continue
      }
      kept++
      if (changed) update.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints })
    }
  }
  remove.push(...left)
  return { create, update, remove: kept + create.length > 0 ? remove : keepOne(service, groups, create, remove) }
}

/** Keeps one empty slice for a service without endpoints, to distinguish it from a service that was not synced yet. */
const keepOne = (
  service: Service,
  [group]: ReadonlyArray<EndpointGroup>,
  create: Array<EndpointSlice>,
  remove: ReadonlyArray<EndpointSlice>
): ReadonlyArray<EndpointSlice> => {
  const addressType = group?.addressType ?? "IPv4"
  const empty = remove.find((slice) => (slice.endpoints ?? []).length === 0 && (slice.ports ?? []).length === 0)
  if (empty === undefined) create.push(newSlice(service, { addressType, ports: [] }, []))
  return remove.filter((slice) => slice !== empty)
}
