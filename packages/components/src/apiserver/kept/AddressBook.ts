import type { IPAddress, Service } from "@rollcall/api"
import { type AddressRepairs, type AddressState, parentOf, serviceKey } from "./repairAddresses.ts"

/** What of a book has changed since the last pass. */
interface Changes {
  readonly services: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
}

/** The Services and the objects of their addresses, and which of them the next pass of the repair looks at. */
export class AddressBook {
  private readonly services = new Map<string, Service>()
  private readonly addresses = new Map<string, IPAddress>()
  /** The objects that name each Service. */
  private readonly children = new Map<string, Set<string>>()
  private readonly known = new Map<string, ReadonlyArray<string>>()
  private readonly dueMs = new Map<string, number>()
  private changedServices = new Set<string>()
  private changedAddresses = new Set<string>()

  changeService(service: Service | undefined, previous: Service | undefined): void {
    const either = service ?? previous
    if (either === undefined) return
    const key = serviceKey(either)
    if (service === undefined) this.services.delete(key)
    else this.services.set(key, service)
    this.changedServices.add(key)
  }

  changeAddress(address: IPAddress | undefined, previous: IPAddress | undefined): void {
    const { name = "" } = (address ?? previous)?.metadata ?? {}
    const before = this.addresses.get(name)
    const parents = [before, address].map((each) => each && parentOf(each))
    const [old, parent] = parents
    if (old !== undefined && old !== parent) this.removeChild(old, name)
    if (parent !== undefined) this.addChild(parent, name)
    if (address === undefined) this.addresses.delete(name)
    else this.addresses.set(name, address)
    this.changedAddresses.add(name)
  }

  /** Adds what was there before the first change that the book was told of. */
  addStored(services: ReadonlyArray<Service>, addresses: ReadonlyArray<IPAddress>): void {
    for (const service of services)
      if (!this.changedServices.has(serviceKey(service))) this.changeService(service, undefined)
    for (const address of addresses)
      if (!this.changedAddresses.has(address.metadata.name ?? "")) this.changeAddress(address, undefined)
  }

  /** Takes what has changed since the last pass. */
  takeChanges(): Changes {
    const changes = { services: this.changedServices, addresses: this.changedAddresses }
    this.changedServices = new Set()
    this.changedAddresses = new Set()
    return changes
  }

  /** Gives back what a pass took that failed. */
  giveBack({ addresses, services }: Changes): void {
    for (const key of services) this.changedServices.add(key)
    for (const name of addresses) this.changedAddresses.add(name)
  }

  /** Returns what a pass looks at: everything, or what has changed, what depends on that, and what is due. */
  stateAt(nowMs: number, { addresses, services }: Changes, comparesAll: boolean): AddressState {
    const seenAddresses = new Set(comparesAll ? this.addresses.keys() : addresses)
    if (!comparesAll) {
      for (const key of services) for (const name of this.children.get(key) ?? []) seenAddresses.add(name)
      for (const [name, dueMs] of this.dueMs) if (dueMs <= nowMs) seenAddresses.add(name)
    }
    return {
      services: this.services,
      addresses: this.addresses,
      known: this.known,
      seenServices: comparesAll ? new Set([...this.services.keys(), ...services]) : services,
      seenAddresses,
      nowMs
    }
  }

  /** Keeps what a pass has found. Returns when the next object may be wrong, or undefined. */
  keep({ seenAddresses }: AddressState, { dueMs, known }: AddressRepairs): number | undefined {
    for (const [key, names] of known) {
      if (names.length === 0) this.known.delete(key)
      else this.known.set(key, names)
    }
    for (const name of seenAddresses) this.dueMs.delete(name)
    for (const [name, time] of dueMs) this.dueMs.set(name, time)
    let next: number | undefined
    for (const time of this.dueMs.values()) next = Math.min(next ?? time, time)
    return next
  }

  private addChild(parent: string, name: string): void {
    const children = this.children.get(parent)
    if (children === undefined) this.children.set(parent, new Set([name]))
    else children.add(name)
  }

  private removeChild(parent: string, name: string): void {
    const children = this.children.get(parent)
    children?.delete(name)
    if (children?.size === 0) this.children.delete(parent)
  }
}
