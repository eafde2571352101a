import type { IPAddress, Service } from "@rollcall/api"
import { allocatedTo } from "../../objects/serviceValues.ts"
import type { AdmissionExchange, AdmissionReader } from "../Admission.ts"
import { FreeAddresses } from "./FreeAddresses.ts"
import { type AddressRange, addressAt, isStep, stepOf } from "./ranges.ts"

/** How long an allocated value stays reserved at most for a service that is not stored yet: longer than a write takes. */
const RESERVED_MS = 10_000

/** The write that is to store a service. */
export type PendingWrite = Pick<AdmissionExchange, "isAnswered">

/** An address (text) or a node port (number). */
type Value = string | number

interface Reservation {
  /** `namespace/name` of the service; undefined if its name is not generated yet. */
  readonly owner: string | undefined
  /** Its values are free again, or those of a stored service, once this is answered. */
  readonly write: PendingWrite | undefined
  /** In milliseconds since the Unix epoch. */
  readonly untilMs: number
}

/** A write that asks: `key` is that of its service, once it has a name, and `old` what is stored of it. */
export interface AskingWrite {
  readonly key: string | undefined
  readonly old: Service | undefined
  readonly write?: PendingWrite | undefined
}

/** The values that a write cannot have. */
export interface UsedValues {
  readonly has: (value: Value) => boolean
  /** Returns the first free address of a range, or undefined if there is none. */
  readonly nextAddress: (range: AddressRange) => string | undefined
}

/** Whether the write made the reservation. Those of callers that no request is known of are told by their service. */
const isOf = ({ owner, write }: Reservation, asking: AskingWrite): boolean =>
  write === undefined
    ? asking.write === undefined && owner !== undefined && owner === asking.key
    : write === asking.write

/** Whether an address is taken by who made the object, not by a Service. */
const isForeign = (address: IPAddress | undefined): boolean =>
  address !== undefined && address.metadata.labels?.["ipaddress.kubernetes.io/managed-by"] !== "ipallocator.k8s.io"

const keyOf = ({ metadata }: Service): string => `${metadata.namespace}/${metadata.name}`

/**
 * The cluster IPs and node ports in use: those of stored services, those that other objects take, and those allocated
 * moments ago to a service that is not stored yet. A look costs the same however many there are.
 */
export class AllocatedValues {
  /** The stored services of each value, by `namespace/name`. */
  private readonly owners = new Map<Value, Set<string>>()
  private readonly foreign = new Set<string>()
  private readonly reservations = new Map<Value, Reservation>()
  private readonly free = new FreeAddresses((address) => this.isUsed(address))

  constructor(reader: AdmissionReader) {
    for (const service of reader.list("Service")) this.changeService(service, undefined)
    for (const address of reader.list("IPAddress")) this.changeAddress(address, undefined)
    reader.observe("Service", (service, previous) => this.changeService(service, previous))
    reader.observe("IPAddress", (address, previous) => this.changeAddress(address, previous))
  }

  /**
   * Returns the values of the services other than the one that is updated, and those that are reserved for others and by
   * other writes. A new service has no values, whatever has its name. `now` is in milliseconds since the Unix epoch.
   */
  usedByOthers(asking: AskingWrite, now: number): UsedValues {
    this.removeExpired(now)
    const own = asking.old === undefined ? undefined : asking.key
    const isMine = (reservation: Reservation): boolean =>
      (own !== undefined && reservation.owner === own) || isOf(reservation, asking)
    const has = (value: Value): boolean => {
      const owners = this.owners.get(value)
      if (owners !== undefined && !(owners.size === 1 && own !== undefined && owners.has(own))) return true
      const reservation = this.reservations.get(value)
      return (reservation !== undefined && !isMine(reservation)) || this.foreign.has(value as string)
    }
    const mine = asking.old === undefined ? [] : [...allocatedTo(asking.old)]
    for (const [value, reservation] of this.reservations) if (isMine(reservation)) mine.push(value)
    const nextAddress = (range: AddressRange): string | undefined => {
      const steps = mine.flatMap((value) => (has(value) ? [] : (stepOf(range, String(value)) ?? [])))
      const step = Math.min(this.free.nextStep(range), ...steps)
      return isStep(range, step) ? addressAt(range, step) : undefined
    }
    return { has, nextAddress }
  }

  /** Reserves the values of a service that is about to be stored. `now` is in milliseconds since the Unix epoch. */
  reserve(owner: string | undefined, service: Service, now: number, write?: PendingWrite): void {
    const reservation = { owner, write, untilMs: now + RESERVED_MS }
    for (const value of allocatedTo(service)) if (!this.owners.has(value)) this.reservations.set(value, reservation)
  }

  private isUsed(value: Value): boolean {
    return this.owners.has(value) || this.reservations.has(value) || this.foreign.has(value as string)
  }

  private removeExpired(now: number): void {
    for (const [value, { untilMs, write }] of this.reservations) {
      if (untilMs >= now && !write?.isAnswered) continue
      this.reservations.delete(value)
      this.free.release(value)
    }
  }

  private changeService(service: Service | undefined, previous: Service | undefined): void {
    const kept = new Set(service === undefined ? [] : allocatedTo(service))
    for (const value of previous === undefined ? [] : allocatedTo(previous)) {
      if (!kept.has(value)) this.removeOwner(value, keyOf(previous as Service))
    }
    for (const value of kept) {
      const owner = keyOf(service as Service)
      this.reservations.delete(value)
      const owners = this.owners.get(value)
      if (owners === undefined) this.owners.set(value, new Set([owner]))
      else owners.add(owner)
    }
  }

  private removeOwner(value: Value, owner: string): void {
    const owners = this.owners.get(value)
    owners?.delete(owner)
    if (owners?.size !== 0) return
    this.owners.delete(value)
    this.free.release(value)
  }

  private changeAddress(address: IPAddress | undefined, previous: IPAddress | undefined): void {
    const { name = "" } = (address ?? previous)?.metadata ?? {}
    if (isForeign(address)) this.foreign.add(name)
    else if (this.foreign.delete(name)) this.free.release(name)
  }
}
