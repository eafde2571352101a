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

/** Effects that make a node infeasible. */
export const keepsAway = ({ effect }: Taint): boolean => effect === "NoSchedule" || effect === "NoExecute"

/** Evaluates each set of taints once. */
const perSet = <A>(judge: (set: TaintSet) => A): ((set: TaintSet) => A) => {
  const known: Array<{ readonly verdict: A } | undefined> = []
  return (set) => {
    const found = known[set.id]
    if (found !== undefined) return found.verdict
    const verdict = judge(set)
    known[set.id] = { verdict }
    return verdict
  }
}

const isUntolerated = (node: Node, tolerations: ReadonlyArray<Toleration>): boolean =>
  findUntoleratedTaint(node.spec?.taints, tolerations, keepsAway) !== undefined

/** Upstream: pkg/scheduler/framework/plugins/tainttoleration. */
export const taintToleration: FilterPlugin = {
  name,
  prepare: (pod) => {
    const verdict = perSet(({ taints }) =>
      findUntoleratedTaint(taints, pod.tolerations, keepsAway) === undefined ? undefined : tainted
    )
    return { _tag: "Check", check: (node) => verdict(node.taintSet) }
  },
  hint: (pod, event) => {
    if (event._tag === "UnscheduledPodUpdated") return event.change.tolerates
    if (event._tag === "NodeAdded") return !isUntolerated(event.node, pod.tolerations)
    if (event._tag !== "NodeUpdated" || !event.change.taints) return false
    return isUntolerated(event.before, pod.tolerations) && !isUntolerated(event.node, pod.tolerations)
  }
}

/** The fewer untolerated PreferNoSchedule taints, the better. */
export const taintTolerationScore: ScorePlugin = {
  name,
  weight: 3,
  score: (pod, nodes, _, scores) => {
    const count = perSet(({ taints }) => {
      let untolerated = 0
      for (const taint of taints) {
        if (taint.effect === "PreferNoSchedule" && findUntoleratedTaint([taint], pod.tolerations) !== undefined)
          untolerated++
      }
      return untolerated
    })
    for (let index = 0; index < nodes.length; index++) {
      const set = nodes[index]?.taintSet
      scores[index] = set?.hasPreferNoSchedule ? count(set) : 0
    }
    normalize(scores, true)
    return true
  }
}
