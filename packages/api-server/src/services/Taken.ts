import type { Service } from "@rollcall/api"

/** How long something that was given away may take to arrive in the store. */
const RESERVED_MS = 60_000

const isAddress = (address: string): boolean => address !== "" && address !== "None"

/**
 * The addresses and node ports that services have. What was given away a moment ago, to a service that the store has yet to take, is
 * taken too.
 */
export class Taken {
  private readonly reservations = new Map<string | number, number>()

  /** What these services have, and what is reserved; not what the service of this key has itself. */
  of(services: ReadonlyArray<Service>, own: Service | undefined, now: number): ReadonlySet<string | number> {
    const taken = new Set<string | number>()
    for (const { metadata, spec } of services) {
      if (own !== undefined && metadata.name === own.metadata.name && metadata.namespace === own.metadata.namespace) {
        continue
      }
      for (const address of spec?.clusterIPs ?? []) if (isAddress(address)) taken.add(address)
      for (const { nodePort = 0 } of spec?.ports ?? []) if (nodePort !== 0) taken.add(nodePort)
    }
    for (const [what, until] of this.reservations) {
      if (until < now) this.reservations.delete(what)
      else taken.add(what)
    }
    return taken
  }

  reserve(service: Service, old: Service | undefined, now: number): void {
    const until = now + RESERVED_MS
    const before = old === undefined ? new Set() : new Set(whatItHas(old))
    for (const what of whatItHas(service)) if (!before.has(what)) this.reservations.set(what, until)
  }
}

const whatItHas = ({ spec }: Service): ReadonlyArray<string | number> => [
  ...(spec?.clusterIPs ?? []).filter(isAddress),
  ...(spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0)
]
