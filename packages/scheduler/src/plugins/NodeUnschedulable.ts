import { findToleration, taintUnschedulable } from "@rollcall/api"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"

const name = "NodeUnschedulable"

const cordoned: Rejection = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) were unschedulable"]
}

const taint = { key: taintUnschedulable, effect: "NoSchedule" } as const

/**
 * A cordoned node is only feasible for pods that tolerate `node.kubernetes.io/unschedulable:NoSchedule`.
 * Upstream: pkg/scheduler/framework/plugins/nodeunschedulable.
 */
export const nodeUnschedulable: FilterPlugin = {
  name,
  prepare: (pod) =>
    findToleration(pod.tolerations, taint) === undefined
      ? { _tag: "Check", check: (node) => (node.unschedulable ? cordoned : undefined), local: true }
      : skip,
  hint: (_, event) => {
    if (event._tag === "UnscheduledPodUpdated") return event.change.tolerates
    if (event._tag !== "NodeAdded" && event._tag !== "NodeUpdated") return false
    const wasSchedulable = event._tag === "NodeUpdated" && event.before.spec?.unschedulable !== true
    return !wasSchedulable && event.node.spec?.unschedulable !== true
  }
}
