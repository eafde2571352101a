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

/** What a pass found, which tells the next one what has changed since. */
export interface AddressMemory {
  /** The Service of each address that had its object. */
  readonly users: ReadonlyMap<string, string>
  /** The revisions of Services whose addresses were compared. */
  readonly compared: ReadonlyMap<string, string | undefined>
}

export const noMemory: AddressMemory = { users: new Map(), compared: new Map() }

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
  readonly memory: AddressMemory
  /** When an object that is still right may be wrong. */
  readonly nextMs: number | undefined
}

/** What there is, and whether each Service is compared, not only those that changed. */
export interface AddressState {
  readonly services: ReadonlyArray<Service>
  readonly addresses: ReadonlyArray<IPAddress>
  readonly memory: AddressMemory
  readonly nowMs: number
  readonly comparesAll: boolean
}

export const familyOf = (name: string): string => (name.includes(":") ? "IPv6" : "IPv4")

const addressesOf = ({ spec }: Service): ReadonlyArray<string> =>
  (spec?.clusterIPs ?? []).filter((address) => address !== "" && address !== "None")

const keyOf = (namespace: string | undefined, name: string | undefined): string => `${namespace ?? ""}/${name ?? ""}`

const serviceKey = ({ metadata }: Service): string => keyOf(metadata.namespace, metadata.name)

/** Returns the Service that an address names; undefined if it names something else. */
const parentOf = ({ spec }: IPAddress): string | undefined => {
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
  const services = new Map(state.services.map((service) => [serviceKey(service), service]))
  const ofServices = compareServices(state, services)
  const ofAddresses = compareAddresses(state, services, new Set(ofServices.deletes))
  return {
    deletes: [...ofServices.deletes, ...ofAddresses.deletes],
    creates: ofServices.creates,
    warnings: [...ofServices.warnings, ...ofAddresses.warnings],
    memory: ofServices.memory,
    nextMs: ofAddresses.nextMs
  }
}

type Services = ReadonlyMap<string, Service>

/** Compares the addresses of Services with their objects. */
const compareServices = (
  { addresses, comparesAll, memory }: AddressState,
  services: Services
): Omit<AddressRepairs, "nextMs"> => {
  const stored = new Map(addresses.map((address) => [address.metadata.name ?? "", address]))
  const deletes: Array<string> = []
  const creates: Array<readonly [string, Service]> = []
  const warnings: Array<AddressWarning> = []
  const users = new Map<string, string>()
  const compared = new Map<string, string | undefined>()
  for (const [key, service] of services) {
    const { resourceVersion } = service.metadata
    const isCompared = comparesAll || memory.compared.get(key) !== resourceVersion
    compared.set(key, resourceVersion)
    for (const name of addressesOf(service)) {
      const address = stored.get(name)
      // The object of a new address is made with the Service.
      const isNew = address === undefined && memory.users.get(name) !== key
      users.set(name, key)
      const why = isCompared && !isNew ? mismatch(name, address, service, services) : undefined
      if (why !== undefined && why !== "") warnings.push(warningOf(service, why))
      if (!isNew && why === undefined) continue
      if (address !== undefined) deletes.push(name)
      creates.push([name, service])
    }
  }
  return { deletes, creates, warnings, memory: { users, compared } }
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
  { addresses, memory, nowMs }: AddressState,
  services: Services,
  replaced: ReadonlySet<string>
): Pick<AddressRepairs, "deletes" | "warnings" | "nextMs"> => {
  const deletes: Array<string> = []
  const warnings: Array<AddressWarning> = []
  let nextMs: number | undefined
  for (const address of addresses) {
    const { name = "" } = address.metadata
    if (!isManaged(address) || replaced.has(name)) continue
    const found = orphaned(address, services, memory, nowMs)
    if (found === undefined) continue
    if (typeof found === "number") nextMs = Math.min(nextMs ?? found, found)
    else {
      deletes.push(name)
      if (found !== "released") warnings.push({ about: address, action: "IPAddressAllocation", ...found })
    }
  }
  return { deletes, warnings, nextMs }
}

/** Returns why no Service uses an address, or when that counts; undefined if one uses it. */
const orphaned = (
  address: IPAddress,
  services: Services,
  memory: AddressMemory,
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
  if (memory.users.get(name) === parent) return "released"
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
