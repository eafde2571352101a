import type { Node, Taint, TaintEffect } from "./objects/Node.ts"

/** Taints are the same taint when key and effect agree; value and time do not matter. Upstream: Taint.MatchTaint. */
export const sameTaint = (a: Pick<Taint, "key" | "effect">, b: Pick<Taint, "key" | "effect">): boolean =>
  a.key === b.key && a.effect === b.effect

/** Equal in every field. */
const equalTaint = (a: Taint, b: Taint): boolean =>
  sameTaint(a, b) && (a.value ?? "") === (b.value ?? "") && a.timeAdded === b.timeAdded

export const findTaint = (
  taints: ReadonlyArray<Taint> | undefined,
  key: string,
  effect: TaintEffect
): Taint | undefined => taints?.find((taint) => taint.key === key && taint.effect === effect)

export const hasTaint = (node: Node, key: string, effect: TaintEffect): boolean =>
  findTaint(node.spec?.taints, key, effect) !== undefined

/** With any value and any effect: how out-of-service is looked for. */
export const hasTaintKey = (node: Node, key: string): boolean =>
  node.spec?.taints?.some((taint) => taint.key === key) ?? false

export const taintsWithEffect = (taints: ReadonlyArray<Taint> | undefined, effect: TaintEffect): ReadonlyArray<Taint> =>
  taints?.filter((taint) => taint.effect === effect) ?? []

/**
 * Adds taints: the same taint is replaced in place if it differs in any field (so its time is refreshed), a new one goes to
 * the end. The very same list comes back when nothing changes. Upstream: pkg/util/taints, AddOrUpdateTaint.
 */
export const addTaints = (
  taints: ReadonlyArray<Taint> | undefined,
  added: ReadonlyArray<Taint>
): ReadonlyArray<Taint> | undefined =>
  added.reduce((list, taint) => {
    const at = list?.findIndex((other) => sameTaint(other, taint)) ?? -1
    const found = list?.[at]
    if (list === undefined || found === undefined) return [...(list ?? []), taint]
    return equalTaint(found, taint) ? list : list.with(at, taint)
  }, taints)

/** Takes taints off by key and effect; the rest keep their order. The very same list comes back when none is there. */
export const removeTaints = (
  taints: ReadonlyArray<Taint> | undefined,
  removed: ReadonlyArray<Pick<Taint, "key" | "effect">>
): ReadonlyArray<Taint> | undefined => {
  const gone = (taint: Taint) => removed.some((other) => sameTaint(other, taint))
  return taints?.some(gone) ? taints.filter((taint) => !gone(taint)) : taints
}

/** What `wanted` has and `existing` lacks, and the other way round; value and time do not matter. Upstream: TaintSetDiff. */
export const diffTaints = (
  wanted: ReadonlyArray<Taint>,
  existing: ReadonlyArray<Taint>
): { readonly toAdd: ReadonlyArray<Taint>; readonly toRemove: ReadonlyArray<Taint> } => {
  const without = (left: ReadonlyArray<Taint>, right: ReadonlyArray<Taint>) =>
    left.filter((taint) => !right.some((other) => sameTaint(taint, other)))
  return { toAdd: without(wanted, existing), toRemove: without(existing, wanted) }
}

/** `key=value:effect`, as messages and command lines write it. */
export const formatTaint = ({ effect, key, value = "" }: Taint): string =>
  effect === ""
    ? value === ""
      ? key
      : `${key}=${value}:`
    : value === ""
      ? `${key}:${effect}`
      : `${key}=${value}:${effect}`
