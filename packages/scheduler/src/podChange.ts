import type { Pod } from "@rollcall/api"
import type { PodDemand } from "./cache/PodDemand.ts"
import { usesClaims } from "./cache/PodDevices.ts"
import type { PodChange } from "./queue/SchedulingEvent.ts"

const isEqualJson = (left: unknown, right: unknown): boolean =>
  left === right || JSON.stringify(left) === JSON.stringify(right)

/** Amounts of extended resources, by slot. */
const amountsOf = ({ scalars }: PodDemand): ReadonlyMap<number, number> =>
  new Map(scalars.map(({ amount, slot }) => [slot, amount]))

/** Whether a pod requests less of any resource. */
const isScaledDown = (before: PodDemand, after: PodDemand): boolean => {
  if (before === after) return false
  if (after.cpu < before.cpu || after.memory < before.memory || after.ephemeral < before.ephemeral) return true
  const amounts = amountsOf(after)
  return before.scalars.some(({ amount, slot }) => (amounts.get(slot) ?? 0) < amount)
}

/**
 * What an update of a pod changed that could make any pod schedulable; undefined if nothing. Upstream: framework/events.go
 * PodSchedulingPropertiesChange.
 */
export const podChange = (
  before: Pod,
  pod: Pod,
  requestsBefore: PodDemand,
  requests: PodDemand
): PodChange | undefined => {
  const change = {
    scaledDown: isScaledDown(requestsBefore, requests),
    relabelled: !isEqualJson(before.metadata.labels, pod.metadata.labels),
    tolerates: (before.spec.tolerations?.length ?? 0) !== (pod.spec.tolerations?.length ?? 0)
  }
  if (usesClaims(pod) && before.status?.resourceClaimStatuses !== pod.status?.resourceClaimStatuses) {
    return { ...change, claims: true }
  }
  return change.scaledDown || change.relabelled || change.tolerates ? change : undefined
}
