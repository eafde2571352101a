/** Who waits for what: each lane has its own share, so that one cannot starve the other. */
export type Lane = "readonly" | "mutating" | "heartbeats" | "exempt"

export interface InFlightLimits {
  /** `--max-requests-inflight` */
  readonly readonly: number
  /** `--max-mutating-requests-inflight` */
  readonly mutating: number
  /** Node heartbeats and leader election, which must go on when all else is refused. */
  readonly heartbeats: number
}

export const defaultInFlightLimits: InFlightLimits = { readonly: 400, mutating: 200, heartbeats: 200 }

export interface LaneQuestion {
  readonly verb: string
  readonly isResource: boolean
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly groups: ReadonlyArray<string>
}

const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"])

/**
 * Upstream has priority levels with shares of the same limits; here the two limits of before stand, beside a lane for what must
 * not starve: leases (heartbeats, leader election) and the status of nodes.
 */
export const laneOf = ({ group, groups, isResource, resource, subresource, verb }: LaneQuestion): Lane => {
  if (!isResource || groups.includes("system:masters")) return "exempt"
  if (group === "coordination.k8s.io" && resource === "leases") return "heartbeats"
  if (group === "" && resource === "nodes" && subresource === "status") return "heartbeats"
  return readVerbs.has(verb) ? "readonly" : "mutating"
}

/** Counts the requests that are being worked on, and says when there are too many. */
export class InFlight {
  private readonly limits: InFlightLimits
  private readonly counts: Record<Lane, number> = { readonly: 0, mutating: 0, heartbeats: 0, exempt: 0 }

  constructor(limits: InFlightLimits) {
    this.limits = limits
  }

  count(lane: Lane): number {
    return this.counts[lane]
  }

  /** False: too many already. True: `leave` must follow. */
  enter(lane: Lane): boolean {
    if (lane !== "exempt" && this.counts[lane] >= this.limits[lane]) return false
    this.counts[lane]++
    return true
  }

  leave(lane: Lane): void {
    this.counts[lane]--
  }
}
