import type { OneOf } from "./internal/OneOf.ts"
import { parseInt64 } from "./parseInt64.ts"
import type { Taint, TaintEffect } from "./Taint.ts"

/** Lets a pod onto a node with a taint, and keeps it there, for `tolerationSeconds` if that is given. */
export interface Toleration {
  readonly key?: string
  readonly operator?: OneOf<"Equal" | "Exists" | "Lt" | "Gt">
  readonly value?: string
  readonly effect?: TaintEffect
  readonly tolerationSeconds?: number
}

/**
 * Parses an integer more strictly than Go's Atoi: no plus sign, no leading zeros, no `-0`. Upstream:
 * apimachinery/pkg/api/validate/content.
 */
const decimalInteger = (text: string): bigint | undefined =>
  /^(0|-?[1-9][0-9]*)$/.test(text) ? parseInt64(text) : undefined

/**
 * Whether a toleration tolerates a taint. `comparisonOperators` is the feature gate TaintTolerationComparisonOperators:
 * without it `Lt` and `Gt` match nothing. Upstream: staging/src/k8s.io/api/core/v1/toleration.go, KEP-5471.
 */
export const toleratesTaint = (toleration: Toleration, taint: Taint, comparisonOperators = false): boolean => {
  const { effect = "", key = "", operator = "", value = "" } = toleration
  if (effect !== "" && effect !== taint.effect) return false
  if (key !== "" && key !== taint.key) return false
  const found = taint.value ?? ""
  switch (operator) {
    case "":
    case "Equal":
      return value === found
    case "Exists":
      return true
    case "Lt":
    case "Gt": {
      if (!comparisonOperators) return false
      const wanted = decimalInteger(value)
      const actual = decimalInteger(found)
      if (wanted === undefined || actual === undefined) return false
      return operator === "Lt" ? actual < wanted : actual > wanted
    }
    default:
      return false
  }
}

/** Returns the first toleration in list order that tolerates the taint, even if a later one lasts longer. */
export const findToleration = (
  tolerations: ReadonlyArray<Toleration> | undefined,
  taint: Taint,
  comparisonOperators = false
): Toleration | undefined => tolerations?.find((toleration) => toleratesTaint(toleration, taint, comparisonOperators))

/**
 * Returns the tolerations of the taints, one for each in order; undefined if a taint is not tolerated. Upstream:
 * pkg/apis/core/v1/helper/helpers.go, GetMatchingTolerations.
 */
export const matchingTolerations = (
  taints: ReadonlyArray<Taint>,
  tolerations: ReadonlyArray<Toleration> | undefined,
  comparisonOperators = false
): ReadonlyArray<Toleration> | undefined => {
  const matched: Array<Toleration> = []
  for (const taint of taints) {
    const toleration = findToleration(tolerations, taint, comparisonOperators)
    if (toleration === undefined) return undefined
    matched.push(toleration)
  }
  return matched
}

const MAX_INT64 = 2n ** 63n - 1n

/**
 * Returns how long a pod may stay with these tolerations, in seconds: the shortest of their times, 0 for an immediate
 * eviction (also without any tolerations), -1 for no limit. Upstream: pkg/controller/tainteviction, getMinTolerationTime.
 */
export const minTolerationSeconds = (matched: ReadonlyArray<Toleration>): number => {
  if (matched.length === 0) return 0
  let least = -1
  for (const { tolerationSeconds } of matched) {
    // The largest int64 means the same as no limit.
    if (tolerationSeconds === undefined || tolerationSeconds >= MAX_INT64) continue
    if (tolerationSeconds <= 0) return 0
    if (least === -1 || tolerationSeconds < least) least = tolerationSeconds
  }
  return least
}

/** Returns the first taint that no toleration tolerates, among those for which `isRelevant` is true. */
export const findUntoleratedTaint = (
  taints: ReadonlyArray<Taint> | undefined,
  tolerations: ReadonlyArray<Toleration> | undefined,
  isRelevant: (taint: Taint) => boolean = () => true,
  comparisonOperators = false
): Taint | undefined =>
  taints?.find((taint) => isRelevant(taint) && findToleration(tolerations, taint, comparisonOperators) === undefined)
