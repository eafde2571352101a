import { matchesTerm, pinnedNodes, requiredNodes } from "@rollcall/api"
import { type FilterPlugin, type Rejection, type ScorePlugin, skip } from "../Plugin.ts"
import { normalize } from "./normalize.ts"

const name = "NodeAffinity"

const mismatch: Rejection = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) didn't match Pod's node affinity/selector"]
}

const conflict: Rejection = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["pod affinity terms conflict"]
}

/** nodeSelector and required node affinity. Upstream: pkg/scheduler/framework/plugins/nodeaffinity. */
export const nodeAffinity: FilterPlugin = {
  name,
  prepare: ({ pod }) => {
    const matches = requiredNodes(pod.spec)
    if (matches === undefined) return skip
    const nodeNames = pinnedNodes(pod.spec)
    if (nodeNames?.size === 0) return { _tag: "Reject", rejection: conflict }
    return {
      _tag: "Check",
      check: ({ node }) => (node !== undefined && matches(node) ? undefined : mismatch),
      ...(nodeNames === undefined ? {} : { nodeNames })
    }
  },
  hint: ({ pod }, event) => {
    if (event._tag !== "NodeAdded" && !(event._tag === "NodeUpdated" && event.change.labels)) return false
    const matches = requiredNodes(pod.spec)
    if (matches === undefined) return true
    return matches(event.node) && (event._tag === "NodeAdded" || !matches(event.before))
  }
}

/** The weights of the preferred terms that match, summed. */
export const nodeAffinityScore: ScorePlugin = {
  name,
  weight: 2,
  score: ({ pod }, nodes, _, scores) => {
    const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
    if (preferred.length === 0) return false
    const terms = preferred.map(({ preference, weight }) => ({ matches: matchesTerm(preference), weight }))
    nodes.forEach(({ node }, index) => {
      let sum = 0
      for (const { matches, weight } of terms) if (node !== undefined && matches(node)) sum += weight
      scores[index] = sum
    })
    normalize(scores, false)
    return true
  }
}
