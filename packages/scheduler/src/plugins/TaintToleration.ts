import { findUntoleratedTaint, type Node, type Taint, type Toleration } from "@rollcall/api"
import type { TaintSet } from "../cache/TaintSets.ts"
import type { FilterPlugin, Rejection, ScorePlugin } from "../Plugin.ts"
import { normalize } from "./normalize.ts"

const name = "TaintToleration"

const tainted: Rejection = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) had untolerated taint(s)"]
}

/** Whether an untolerated taint with this effect makes a node infeasible. */
export const isNoScheduleOrNoExecute = ({ effect }: Taint): boolean => effect === "NoSchedule" || effect === "NoExecute"

/** Caches the results of a function of taint sets: nodes share sets, so each set is evaluated once. */
const memoizePerSet = <A>(evaluate: (set: TaintSet) => A): ((set: TaintSet) => A) => {
  const results: Array<{ readonly value: A } | undefined> = []
  return (set) => {
    const known = results[set.id]
    if (known !== undefined) return known.value
    const value = evaluate(set)
    results[set.id] = { value }
    return value
  }
}

/** Whether a node has a taint that keeps the pod away. */
const hasUntoleratedTaint = (node: Node, tolerations: ReadonlyArray<Toleration>): boolean =>
  findUntoleratedTaint(node.spec?.taints, tolerations, isNoScheduleOrNoExecute) !== undefined

/**
 * Filters nodes with an untolerated NoSchedule or NoExecute taint. Upstream:
 * pkg/scheduler/framework/plugins/tainttoleration.
 */
export const taintToleration: FilterPlugin = {
  name,
  prepare: (pod) => {
    const rejectionOf = memoizePerSet(({ taints }) =>
      findUntoleratedTaint(taints, pod.tolerations, isNoScheduleOrNoExecute) === undefined ? undefined : tainted
    )
    return { _tag: "Check", check: (node) => rejectionOf(node.taintSet), local: true }
  },
  hint: (pod, event) => {
    if (event._tag === "UnscheduledPodUpdated") return event.change.tolerates
    if (event._tag === "NodeAdded") return !hasUntoleratedTaint(event.node, pod.tolerations)
    if (event._tag !== "NodeUpdated" || !event.change.taints) return false
    return hasUntoleratedTaint(event.before, pod.tolerations) && !hasUntoleratedTaint(event.node, pod.tolerations)
  }
}

/** Prefers nodes with fewer untolerated PreferNoSchedule taints. */
export const taintTolerationScore: ScorePlugin = {
  name,
  weight: 3,
  score: (pod, nodes, _, scores) => {
    const countUntolerated = memoizePerSet(({ taints }) => {
      let untolerated = 0
      for (const taint of taints) {
        if (taint.effect === "PreferNoSchedule" && findUntoleratedTaint([taint], pod.tolerations) !== undefined)
          untolerated++
      }
      return untolerated
    })
    for (let index = 0; index < nodes.length; index++) {
      const set = nodes[index]?.taintSet
      scores[index] = set?.hasPreferNoSchedule ? countUntolerated(set) : 0
    }
    normalize(scores, true)
    return true
  }
}
