import type { Service } from "@rollcall/api"

/** How long an allocated value stays reserved for a service that is not stored yet. */
const RESERVED_MS = 10_000

interface Reservation {
  readonly owner: string | undefined
  readonly until: number
}

const keyOf = ({ metadata }: Service): string => `${metadata.namespace}/${metadata.name}`

const isAddress = (address: string): boolean => address !== "" && address !== "None"

const allocatedTo = ({ spec }: Service): ReadonlyArray<string | number> => [
  ...(spec?.clusterIPs ?? []).filter(isAddress),
  ...(spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0)
]

/**
 * The cluster IPs and node ports in use: those of stored services, and those allocated moments ago to a service that is
 * not stored yet.
 */
export class AllocatedValues {
  private readonly reservations = new Map<string | number, Reservation>()

  /**
   * Returns the values of the other services, and those reserved for services other than `own` (`namespace/name`, once
   * it has a name).
   */
  byOthers(own: string | undefined, services: ReadonlyArray<Service>, now: number): ReadonlySet<string | number> {
    const taken = new Set<string | number>()
    for (const other of services) {
      for (const what of allocatedTo(other)) {
        this.reservations.delete(what)
        if (keyOf(other) !== own) taken.add(what)
      }
    }
    for (const [what, { owner, until }] of this.reservations) {
      if (until < now) this.reservations.delete(what)
      else if (own === undefined || owner !== own) taken.add(what)
    }
    return taken
  }

  reserve(owner: string | undefined, service: Service, now: number): void {
    const reservation = { owner, until: now + RESERVED_MS }
    for (const what of allocatedTo(service)) this.reservations.set(what, reservation)
  }
}
