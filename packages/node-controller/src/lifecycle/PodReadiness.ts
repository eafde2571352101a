import type { Pod } from "@rollcall/api"

/**
 * The pod with its first Ready condition set to False; undefined when it has none or it is False already.
 * Upstream: pkg/controller/util/node/controller_utils.go MarkPodsNotReady.
 */
export const podNotReady = (pod: Pod, nowText: string): Pod | undefined => {
  const conditions = pod.status?.conditions
  if (conditions === undefined) return undefined
  const index = conditions.findIndex((condition) => condition.type === "Ready")
  const ready = conditions[index]
  if (ready === undefined || ready.status === "False") return undefined
  const changed = conditions.slice()
  changed[index] = { ...ready, status: "False", lastTransitionTime: nowText }
  return { ...pod, status: { ...pod.status, conditions: changed } }
}
