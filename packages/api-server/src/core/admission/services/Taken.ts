import type { Service } from "@rollcall/api"

/** How long something that was given away may take to arrive in the store. */
const RESERVED_MS = 10_000

interface Reservation {
  readonly owner: string | undefined
  readonly until: number
}

const keyOf = ({ metadata }: Service): string => `${metadata.namespace}/${metadata.name}`

const isAddress = (address: string): boolean => address !== "" && address !== "None"

const whatItHas = ({ spec }: Service): ReadonlyArray<string | number> => [
  ...(spec?.clusterIPs ?? []).filter(isAddress),
  ...(spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0)
]

/**
 * The addresses and node ports that services have. What was given away a moment ago, to a service that the store has yet to take, is
 * taken too.
 */
export class Taken {
  private readonly reservations = new Map<string | number, Reservation>()

  /** What the others of these services have, and what is reserved for others than `own` (`namespace/name`, once it has a name). */
  byOthers(own: string | undefined, services: ReadonlyArray<Service>, now: number): ReadonlySet<string | number> {
    const taken = new Set<string | number>()
    for (const other of services) {
      for (const what of whatItHas(other)) {
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
    for (const what of whatItHas(service)) this.reservations.set(what, reservation)
  }
}
