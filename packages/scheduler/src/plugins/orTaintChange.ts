import type { Hint } from "../Plugin.ts"

/**
 * A hint that also accepts each change of a node's taints or of its spec.unschedulable. Upstream adds this event for
 * each plugin that registers new nodes but no taints, whatever the plugin's hint says: pkg/scheduler/scheduler.go
 * buildQueueingHintMap.
 */
export const orTaintChange =
  (hint: Hint): Hint =>
  (pod, event, cache) =>
    (event._tag === "NodeUpdated" && event.change.taints) || hint(pod, event, cache)
