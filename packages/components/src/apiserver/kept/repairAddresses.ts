import { type IPAddress, parseTime, type Service } from "@rollcall/api"

/*
 * What is wrong between Services and the objects of their addresses, and what to do about it. Upstream:
 * pkg/registry/core/service/ipallocator/controller/repairip.go.
 */

export const MANAGED_BY = "ipaddress.kubernetes.io/managed-by"
export const ALLOCATOR = "ipallocator.k8s.io"
const FAMILY = "ipaddress.kubernetes.io/ip-family"

/** A create of a Service may take this long, in which its addresses belong to no Service. */
const CREATION_MS = 60_000
/** A create that fails releases its addresses within this time. */
const REVERSAL_MS = 5_000

/** The addresses that each Service had in the pass that compared it last. */
export type KnownAddresses = ReadonlyMap<string, ReadonlyArray<string>>

/** A warning about an object that is not as it should be. */
export interface AddressWarning {
  readonly about: Service | IPAddress
  readonly reason: string
  readonly action: string
  readonly note: string
}

export interface AddressRepairs {
  /** The names of objects to delete, before others are made. */
  readonly deletes: ReadonlyArray<string>
  readonly creates: ReadonlyArray<readonly [name: string, of: Service]>
  readonly warnings: ReadonlyArray<AddressWarning>
  /** The addresses of the Services that were compared. */
  readonly known: KnownAddresses
  /** When each object that is still right may be wrong. */
  readonly dueMs: ReadonlyMap<string, number>
}

/** What there is, and what of it a pass looks at: a cost for what has changed, not for what there is. */
export interface AddressState {
  readonly services: ReadonlyMap<string, Service>
  readonly addresses: ReadonlyMap<string, IPAddress>
  readonly known: KnownAddresses
  /** The keys of the Services to compare, some of which may be gone. */
  readonly seenServices: Iterable<string>
  /** The names of the objects to look at, some of which may be gone. */
  readonly seenAddresses: Iterable<string>
  readonly nowMs: number
}

export const familyOf = (name: string): string => (name.includes(":") ? "IPv6" : "IPv4")

const addressesOf = ({ spec }: Service): ReadonlyArray<string> =>
  (spec?.clusterIPs ?? []).filter((address) => address !== "" && address !== "None")

const keyOf = (namespace: string | undefined, name: string | undefined): string => `${namespace ?? ""}/${name ?? ""}`

export const serviceKey = ({ metadata }: Service): string => keyOf(metadata.namespace, metadata.name)

/** Returns the Service that an address names; undefined if it names something else. */
export const parentOf = ({ spec }: IPAddress): string | undefined => {
  const { group = "", name, namespace, resource } = spec?.parentRef ?? {}
  return group === "" && resource === "services" ? keyOf(namespace, name) : undefined
}

const isManaged = ({ metadata }: IPAddress): boolean => metadata.labels?.[MANAGED_BY] === ALLOCATOR

const parentText = ({ spec }: IPAddress): string => {
  const { group = "", name = "", namespace = "", resource = "" } = spec?.parentRef ?? {}
  return `&ParentReference{Group:${group},Resource:${resource},Namespace:${namespace},Name:${name},}`
}

/** Decides what to do about the addresses of Services. */
export const repairAddresses = (state: AddressState): AddressRepairs => {
  const ofServices = compareServices(state)
  const ofAddresses = compareAddresses(state, new Set(ofServices.deletes))
  return {
    ...ofServices,
    deletes: [...ofServices.deletes, ...ofAddresses.deletes],
    warnings: [...ofServices.warnings, ...ofAddresses.warnings],
    dueMs: ofAddresses.dueMs
  }
}

type Services = ReadonlyMap<string, Service>

/** Compares the addresses of Services with their objects. */
const compareServices = ({ addresses, known, seenServices, services }: AddressState): Omit<AddressRepairs, "dueMs"> => {
  const deletes: Array<string> = []
  const creates: Array<readonly [string, Service]> = []
  const warnings: Array<AddressWarning> = []
  const compared = new Map<string, ReadonlyArray<string>>()
  for (const key of seenServices) {
    const service = services.get(key)
    const names = service === undefined ? [] : addressesOf(service)
    compared.set(key, names)
    if (service === undefined) continue
    for (const name of names) {
      const address = addresses.get(name)
      // The object of a new address is made with the Service.
      const isNew = address === undefined && known.get(key)?.includes(name) !== true
      const why = isNew ? undefined : mismatch(name, address, service, services)
      if (why !== undefined && why !== "") warnings.push(warningOf(service, why))
      if (!isNew && why === undefined) continue
      if (address !== undefined) deletes.push(name)
      creates.push([name, service])
    }
  }
  return { deletes, creates, warnings, known: compared }
}

const warningOf = (service: Service, note: string): AddressWarning => ({
  about: service,
  reason: "ClusterIPNotAllocated",
  action: "ClusterIPAllocation",
  note
})

/** Returns why the object of a Service's address is made anew: a note for a warning, or an empty text. */
const mismatch = (
  name: string,
  address: IPAddress | undefined,
  service: Service,
  services: Services
): string | undefined => {
  const what = `Cluster IP [${familyOf(name)}]: ${name}`
  if (address === undefined) return `${what} is not allocated; repairing`
  const parent = parentOf(address)
  const key = serviceKey(service)
  if (parent === undefined || (parent !== key && !services.has(parent)))
    return `the ClusterIP [${familyOf(name)}]: ${name} for Service ${key} has a wrong reference; repairing`
  const isLabelled = isManaged(address) && address.metadata.labels?.[FAMILY] === familyOf(name)
  return isLabelled ? undefined : ""
}

/** Finds the objects that no Service uses; `replaced` are deleted anyway. */
const compareAddresses = (
  { addresses, known, nowMs, seenAddresses, services }: AddressState,
  replaced: ReadonlySet<string>
): Pick<AddressRepairs, "deletes" | "warnings" | "dueMs"> => {
  const deletes: Array<string> = []
  const warnings: Array<AddressWarning> = []
  const dueMs = new Map<string, number>()
  for (const name of seenAddresses) {
    const address = addresses.get(name)
    if (address === undefined || !isManaged(address) || replaced.has(name)) continue
    const found = orphaned(address, services, known, nowMs)
    if (found === undefined) continue
    if (typeof found === "number") dueMs.set(name, found)
    else {
      deletes.push(name)
      if (found !== "released") warnings.push({ about: address, action: "IPAddressAllocation", ...found })
    }
  }
  return { deletes, warnings, dueMs }
}

/** Returns why no Service uses an address, or when that counts; undefined if one uses it. */
const orphaned = (
  address: IPAddress,
  services: Services,
  known: KnownAddresses,
  nowMs: number
): "released" | number | Pick<AddressWarning, "reason" | "note"> | undefined => {
  const { creationTimestamp, name = "" } = address.metadata
  const parent = parentOf(address)
  if (parent === undefined) {
    const note = `IPAddress ${name} appears to have been modified, not referencing a Service ${parentText(address)}: cleaning up`
    return { reason: "IPAddressNotAllocated", note }
  }
  const service = services.get(parent)
  if (service !== undefined && addressesOf(service).includes(name)) return undefined
  if (known.get(parent)?.includes(name)) return "released"
  const createdMs = parseTime(creationTimestamp ?? "")
  const what = `IPAddress: ${name} for Service ${parent}`
  const isCreated = service === undefined || service.spec?.type === "ExternalName"
  if (isCreated && nowMs - createdMs <= CREATION_MS) return createdMs + CREATION_MS + 1
  if (service === undefined)
    return { reason: "IPAddressNotAllocated", note: `${what} appears to have leaked: cleaning up` }
  const isYounger = createdMs > parseTime(service.metadata.creationTimestamp ?? "")
  if (isYounger && nowMs - createdMs < REVERSAL_MS) return createdMs + REVERSAL_MS
  return { reason: "IPAddressWrongReference", note: `${what} has a wrong reference; cleaning up` }
}
