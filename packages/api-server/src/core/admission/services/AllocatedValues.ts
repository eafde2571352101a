import type { Service } from "@rollcall/api"
import { allocatedTo } from "../../objects/serviceValues.ts"
import type { AdmissionExchange } from "../Admission.ts"

/** How long an allocated value stays reserved at most for a service that is not stored yet: longer than a write takes. */
const RESERVED_MS = 10_000

/** The write that is to store a service. */
export type PendingWrite = Pick<AdmissionExchange, "isAnswered">

interface Reservation {
  /** `namespace/name` of the service; undefined if its name is not generated yet. */
  readonly owner: string | undefined
  /** Its values are free again, or those of a stored service, once this is answered. */
  readonly write: PendingWrite | undefined
  /** In milliseconds since the Unix epoch. */
  readonly untilMs: number
}

/** A write that asks: `key` is that of its service, once it has a name. */
interface Pending {
  readonly key: string | undefined
  readonly write?: PendingWrite | undefined
}

/** Whether the write made the reservation. Those of callers that no request is known of are told by their service. */
const isOf = ({ owner, write }: Reservation, pending: Pending): boolean =>
  write === undefined
    ? pending.write === undefined && owner !== undefined && owner === pending.key
    : write === pending.write

const keyOf = ({ metadata }: Service): string => `${metadata.namespace}/${metadata.name}`

/**
 * The cluster IPs and node ports in use: those of stored services, and those allocated moments ago to a service that is
 * not stored yet.
 */
export class AllocatedValues {
  private readonly reservations = new Map<string | number, Reservation>()

  /**
   * Returns the values of the services other than `own`, the one (`namespace/name`) that is updated, and those that are
   * reserved for others and by other writes. A new service has no values, whatever has its name.
   */
  usedByOthers(
    own: string | undefined,
    services: ReadonlyArray<Service>,
    now: number,
    pending: Pending = { key: own }
  ): ReadonlySet<string | number> {
    const used = new Set<string | number>()
    for (const other of services) {
      for (const what of allocatedTo(other)) {
        this.reservations.delete(what)
        if (keyOf(other) !== own) used.add(what)
      }
    }
    for (const [what, reservation] of this.reservations) {
      const { owner, untilMs, write } = reservation
      if (untilMs < now || write?.isAnswered) this.reservations.delete(what)
      else if ((own === undefined || owner !== own) && !isOf(reservation, pending)) used.add(what)
    }
    return used
  }

  /** Reserves the values of a service that is about to be stored. `now` is in milliseconds since the Unix epoch. */
  reserve(owner: string | undefined, service: Service, now: number, write?: PendingWrite): void {
    const reservation = { owner, write, untilMs: now + RESERVED_MS }
    for (const what of allocatedTo(service)) this.reservations.set(what, reservation)
  }
}
