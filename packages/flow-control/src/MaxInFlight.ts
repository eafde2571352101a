import type { FlowControl, FlowRequest, FlowWork, Place } from "./FlowControl.ts"

/** A class of requests with its own limit, so that one class cannot starve another. `exempt` has none. */
export type Lane = "readonly" | "mutating" | "heartbeats" | "exempt"

export interface InFlightLimits {
  /** `--max-requests-inflight` */
  readonly readonly: number
  /** `--max-mutating-requests-inflight` */
  readonly mutating: number
  /** Node heartbeats and leader election, which must continue when everything else is refused. */
  readonly heartbeats: number
}

export const defaultInFlightLimits: InFlightLimits = { readonly: 400, mutating: 200, heartbeats: 200 }

const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"])

/**
 * Returns the lane of a request. In addition to upstream's two limits, there is a lane for requests that must not
 * starve: leases (heartbeats, leader election) and node status.
 */
export const laneOf = ({ info, user }: Pick<FlowRequest, "info" | "user">): Lane => {
  const { group, isResource, resource, subresource, verb } = info
  if (!isResource || user.groups.includes("system:masters")) return "exempt"
  if (group === "coordination.k8s.io" && resource === "leases") return "heartbeats"
  if (group === "" && resource === "nodes" && subresource === "status") return "heartbeats"
  return readVerbs.has(verb) ? "readonly" : "mutating"
}

/** Upstream: retryAfter of maxinflight.go. */
const RETRY_AFTER_SECONDS = 1

/**
 * Counts requests in flight and refuses those above the limit; none waits. Upstream:
 * apiserver/pkg/server/filters/maxinflight.go, used with `--enable-priority-and-fairness=false`.
 */
export class MaxInFlight implements FlowControl {
  private readonly limits: InFlightLimits
  private readonly counts: Record<Lane, number> = { readonly: 0, mutating: 0, heartbeats: 0, exempt: 0 }
  readonly addMetrics: FlowControl["addMetrics"] = () => {}
  readonly pages: FlowControl["pages"] = new Map()

  constructor(limits: InFlightLimits = defaultInFlightLimits) {
    this.limits = limits
  }

  enter(request: FlowRequest, work: FlowWork): Place {
    const lane = laneOf(request)
    const { counts, limits } = this
    let isCounted = lane === "exempt" || counts[lane] < limits[lane]
    const place: Place = {
      isWaiting: false,
      flowSchemaUid: undefined,
      priorityLevelUid: undefined,
      leave: () => {
        if (isCounted) counts[lane]--
        isCounted = false
      }
    }
    if (isCounted) {
      counts[lane]++
      work.start(place)
    } else work.refuse(place, RETRY_AFTER_SECONDS)
    return place
  }
}
