import type { FlowControl, FlowQuestion, FlowWork, Place } from "./FlowControl.ts"

/** Who waits for what: each lane has its own limit, so that one cannot starve the other. */
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

const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"])

/** Beside upstream's two limits, a lane for what must not starve: leases (heartbeats, leader election) and the status of nodes. */
export const laneOf = ({ info, user }: Pick<FlowQuestion, "info" | "user">): Lane => {
  const { group, isResource, resource, subresource, verb } = info
  if (!isResource || user.groups.includes("system:masters")) return "exempt"
  if (group === "coordination.k8s.io" && resource === "leases") return "heartbeats"
  if (group === "" && resource === "nodes" && subresource === "status") return "heartbeats"
  return readVerbs.has(verb) ? "readonly" : "mutating"
}

const RETRY_AFTER_SECONDS = 1

/**
 * Counts the requests that are being worked on and refuses what is too many; none waits. Upstream: apiserver/pkg/server/filters/
 * maxinflight.go, in place with `--enable-priority-and-fairness=false`.
 */
export class MaxInFlight implements FlowControl {
  private readonly limits: InFlightLimits
  private readonly counts: Record<Lane, number> = { readonly: 0, mutating: 0, heartbeats: 0, exempt: 0 }
  readonly gauges: FlowControl["gauges"] = []
  readonly pages: FlowControl["pages"] = new Map()

  constructor(limits: InFlightLimits = defaultInFlightLimits) {
    this.limits = limits
  }

  enter(question: FlowQuestion, work: FlowWork): Place {
    const lane = laneOf(question)
    const { counts, limits } = this
    let holds = lane === "exempt" || counts[lane] < limits[lane]
    const place: Place = {
      isWaiting: false,
      flowSchemaUid: undefined,
      priorityLevelUid: undefined,
      leave: () => {
        if (holds) counts[lane]--
        holds = false
      }
    }
    if (holds) {
      counts[lane]++
      work.start(place)
    } else work.refuse(place, RETRY_AFTER_SECONDS)
    return place
  }
}
