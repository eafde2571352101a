import {
  matchesTerm,
  type Node,
  type NodeAffinity,
  type PreferredSchedulingTerm,
  pinnedNodes,
  requiredNodes
} from "@rollcall/api"
import { type FilterPlugin, type Rejection, type ScorePlugin, skip } from "../Plugin.ts"
import { normalize } from "./normalize.ts"
import { orTaintChange } from "./orTaintChange.ts"

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

const prepareTerm = ({ preference, weight }: PreferredSchedulingTerm) => ({ matches: matchesTerm(preference), weight })

const addedMismatch: Rejection = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) didn't match scheduler-enforced node affinity"]
}

/**
 * Filters by nodeSelector, required node affinity, and the affinity that a profile adds:
 * NodeAffinityArgs.addedAffinity.
 */
export const nodeAffinityWith = (added: NodeAffinity | undefined): FilterPlugin => {
  const matchesAdded = added === undefined ? undefined : requiredNodes({ affinity: { nodeAffinity: added } })
  return {
    name,
    prepare: ({ pod }) => {
      const matches = requiredNodes(pod.spec)
      if (matches === undefined && matchesAdded === undefined) return skip
      const nodeNames = pinnedNodes(pod.spec)
      if (nodeNames?.size === 0) return { _tag: "Reject", rejection: conflict }
      return {
        _tag: "Check",
        check: ({ node }) => {
          if (node === undefined) return mismatch
          if (matchesAdded?.(node) === false) return addedMismatch
          return matches?.(node) === false ? mismatch : undefined
        },
        local: true,
        ...(nodeNames === undefined ? {} : { nodeNames })
      }
    },
    hint: orTaintChange(({ pod }, event) => {
      if (event._tag !== "NodeAdded" && !(event._tag === "NodeUpdated" && event.change.labels)) return false
      const matches = requiredNodes(pod.spec)
      const fits = (node: Node) => (matchesAdded?.(node) ?? true) && (matches?.(node) ?? true)
      return fits(event.node) && (event._tag === "NodeAdded" || !fits(event.before))
    })
  }
}

/** Filters by nodeSelector and required node affinity. Upstream: pkg/scheduler/framework/plugins/nodeaffinity. */
export const nodeAffinity: FilterPlugin = nodeAffinityWith(undefined)

/** Scores by the sum of the weights of matching preferred terms, including those that a profile adds to each pod's. */
export const nodeAffinityScoreWith = (added: NodeAffinity | undefined): ScorePlugin => {
  const addedTerms = (added?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(prepareTerm)
  return {
    name,
    weight: 2,
    score: ({ pod }, nodes, _, scores) => {
      const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
      if (preferred.length + addedTerms.length === 0) return false
      const terms = [...addedTerms, ...preferred.map(prepareTerm)]
      nodes.forEach(({ node }, index) => {
        let sum = 0
        for (const { matches, weight } of terms) if (node !== undefined && matches(node)) sum += weight
        scores[index] = sum
      })
      normalize(scores, false)
      return true
    }
  }
}

/** NodeAffinity as a score, without an added affinity. */
export const nodeAffinityScore: ScorePlugin = nodeAffinityScoreWith(undefined)
