import type { HintLists, TopologyHint } from "../hints.ts"
import { isNarrower, maskCount, type NumaMask } from "../masks.ts"
import type { Fitter } from "./closest.ts"
import { betterHint, type MergedHint } from "./compareHints.ts"

const noPreference: ReadonlyArray<TopologyHint> = [{ mask: undefined, preferred: true }]
const unsatisfiable: ReadonlyArray<TopologyHint> = [{ mask: undefined, preferred: false }]

/** Returns one list of hints for each resource of each provider. A provider without resources has no preference. */
export const flattenHints = (answers: ReadonlyArray<HintLists | null>): ReadonlyArray<ReadonlyArray<TopologyHint>> =>
  answers.flatMap((answer) => {
    const lists = answer === null ? [] : Object.values(answer)
    if (lists.length === 0) return [noPreference]
    return lists.map((list) => (list === null ? noPreference : list.length === 0 ? unsatisfiable : list))
  })

/** Returns the least number of nodes that the most demanding resource needs; 0 if no resource has hints with nodes. */
const nodesNeeded = (lists: ReadonlyArray<ReadonlyArray<TopologyHint>>): number => {
  let needed = 0
  for (const list of lists) {
    let narrowestMask: NumaMask | undefined
    for (const { mask } of list)
      if (mask !== undefined && (narrowestMask === undefined || isNarrower(mask, narrowestMask))) narrowestMask = mask
    if (narrowestMask !== undefined) needed = Math.max(needed, maskCount(narrowestMask))
  }
  return needed
}

/**
 * Returns the distinct results of combining one hint of each list. The mask of a combination is the intersection of its
 * hints' masks. It is preferred if all its hints are preferred and have equal masks. Upstream forms the whole product
 * (up to 255 hints for each resource on 8 nodes). Many of its combinations are equal, and the best does not depend on
 * their order, so this merges list by list and keeps distinct results.
 */
const combinations = (
  lists: ReadonlyArray<ReadonlyArray<TopologyHint>>,
  machine: NumaMask
): ReadonlyArray<MergedHint> => {
  // `agreed` has the common masks of the combinations that are preferred so far, `mixed` the intersections of all
  // others.
  let agreed = new Set<NumaMask | undefined>([undefined])
  let mixed = new Set<NumaMask>()
  for (const list of lists) {
    const nextAgreed = new Set<NumaMask | undefined>()
    const nextMixed = new Set<NumaMask>()
    for (const hint of list) {
      for (const mask of agreed) {
        const agrees = mask === undefined || hint.mask === undefined || mask === hint.mask
        if (hint.preferred && agrees) nextAgreed.add(mask ?? hint.mask)
        else nextMixed.add(machine & (mask ?? machine) & (hint.mask ?? machine))
      }
      for (const mask of mixed) nextMixed.add(mask & (hint.mask ?? machine))
    }
    agreed = nextAgreed
    mixed = nextMixed
  }
  return [
    ...[...agreed].map((mask) => ({ mask: machine & (mask ?? machine), preferred: true })),
    ...[...mixed].map((mask) => ({ mask, preferred: false }))
  ]
}

/**
 * Returns the best combination of one hint of each list; if there is none, all nodes, not preferred. Upstream:
 * topologymanager/policy.go HintMerger.Merge.
 */
export const mergeLists = (
  lists: ReadonlyArray<ReadonlyArray<TopologyHint>>,
  machine: NumaMask,
  fitter: Fitter
): MergedHint => {
  const bound = nodesNeeded(lists)
  let best: MergedHint | undefined
  for (const candidate of combinations(lists, machine)) best = betterHint(fitter, bound, best, candidate)
  return best ?? { mask: machine, preferred: false }
}
