import type { OneOf } from "./internal/OneOf.ts"

export type TaintEffect = OneOf<"NoSchedule" | "PreferNoSchedule" | "NoExecute">

/** Repels pods from a node, or evicts them, unless they tolerate it. */
export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: TaintEffect
  readonly timeAdded?: string
}

/** What these rules read of a node. */
interface TaintedNode {
  readonly spec?: { readonly taints?: ReadonlyArray<Taint> }
}

/** Whether two taints have the same key and effect; value and time are ignored. Upstream: Taint.MatchTaint. */
export const isSameTaint = (a: Pick<Taint, "key" | "effect">, b: Pick<Taint, "key" | "effect">): boolean =>
  a.key === b.key && a.effect === b.effect

/** Whether two taints are equal in every field. */
const isEqualTaint = (a: Taint, b: Taint): boolean =>
  isSameTaint(a, b) && (a.value ?? "") === (b.value ?? "") && a.timeAdded === b.timeAdded

export const findTaint = (
  taints: ReadonlyArray<Taint> | undefined,
  key: string,
  effect: TaintEffect
): Taint | undefined => taints?.find((taint) => taint.key === key && taint.effect === effect)

export const hasTaint = (node: TaintedNode, key: string, effect: TaintEffect): boolean =>
  findTaint(node.spec?.taints, key, effect) !== undefined

/** Whether the node has a taint of this key, with any value and effect, as out-of-service is checked. */
export const hasTaintKey = (node: TaintedNode, key: string): boolean =>
  node.spec?.taints?.some((taint) => taint.key === key) ?? false

export const taintsWithEffect = (taints: ReadonlyArray<Taint> | undefined, effect: TaintEffect): ReadonlyArray<Taint> =>
  taints?.filter((taint) => taint.effect === effect) ?? []

/**
 * Adds taints. A taint of the same key and effect is replaced in place if any field differs, so its time is refreshed;
 * new ones are appended. Returns the same list when nothing changes. Upstream: pkg/util/taints, AddOrUpdateTaint.
 */
export const addTaints = (
  taints: ReadonlyArray<Taint> | undefined,
  added: ReadonlyArray<Taint>
): ReadonlyArray<Taint> | undefined =>
  added.reduce((list, taint) => {
    const at = list?.findIndex((other) => isSameTaint(other, taint)) ?? -1
    const found = list?.[at]
    if (list === undefined || found === undefined) return [...(list ?? []), taint]
    return isEqualTaint(found, taint) ? list : list.with(at, taint)
  }, taints)

/** Removes taints by key and effect; the rest keep their order. Returns the same list when none is present. */
export const removeTaints = (
  taints: ReadonlyArray<Taint> | undefined,
  removed: ReadonlyArray<Pick<Taint, "key" | "effect">>
): ReadonlyArray<Taint> | undefined => {
  const isRemoved = (taint: Taint) => removed.some((other) => isSameTaint(other, taint))
  return taints?.some(isRemoved) ? taints.filter((taint) => !isRemoved(taint)) : taints
}

/**
 * Returns the taints that only `wanted` has, and those that only `existing` has; value and time are ignored. Upstream:
 * TaintSetDiff.
 */
export const diffTaints = (
  wanted: ReadonlyArray<Taint>,
  existing: ReadonlyArray<Taint>
): { readonly toAdd: ReadonlyArray<Taint>; readonly toRemove: ReadonlyArray<Taint> } => {
  const without = (left: ReadonlyArray<Taint>, right: ReadonlyArray<Taint>) =>
    left.filter((taint) => !right.some((other) => isSameTaint(taint, other)))
  return { toAdd: without(wanted, existing), toRemove: without(existing, wanted) }
}

/** Formats a taint as messages and command lines do: `key=value:effect`. */
export const formatTaint = ({ effect, key, value = "" }: Taint): string =>
  effect === ""
    ? value === ""
      ? key
      : `${key}=${value}:`
    : value === ""
      ? `${key}:${effect}`
      : `${key}=${value}:${effect}`
