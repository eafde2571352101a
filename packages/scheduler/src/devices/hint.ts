import type { Pod, ResourceClaim, UsedClaim } from "@rollcall/api"
import * as Result from "effect/Result"
import type { SchedulingEvent } from "../queue/SchedulingEvent.ts"

type Used = Result.Result<ReadonlyArray<UsedClaim>, string>

const isSameStatus = (left: ResourceClaim, right: ResourceClaim): boolean =>
  left.status === right.status || JSON.stringify(left.status ?? {}) === JSON.stringify(right.status ?? {})

/** Upstream: isSchedulableAfterClaimChange. */
const claimHelps = (used: Used, before: ResourceClaim | undefined, claim: ResourceClaim): boolean => {
  // A pod whose claims are not all there is gated.
  if (Result.isFailure(used)) return false
  if (before?.status?.allocation !== undefined && claim.status?.allocation === undefined) return true
  if (!used.success.some((each) => each.claim.metadata.uid === claim.metadata.uid)) return false
  return before === undefined || !isSameStatus(before, claim)
}

/** Whether an event could help a pod that devices keep off the nodes; `used` are its claims. Upstream: EventsToRegister of dynamicresources.go. */
export const hintOf = (pod: Pod, event: SchedulingEvent, used: Used): boolean => {
  switch (event._tag) {
    case "NodeAdded":
    case "DeviceClassChanged":
    case "ResourceSliceChanged":
      return true
    case "NodeUpdated":
      return event.change.labels || event.change.allocatable
    case "ResourceClaimChanged":
      return claimHelps(used, event.before, event.claim)
    case "UnscheduledPodUpdated":
      return event.change.claims === true && event.pod.metadata.uid === pod.metadata.uid && Result.isSuccess(used)
    default:
      return false
  }
}
