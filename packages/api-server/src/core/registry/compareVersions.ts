import * as Order from "effect/Order"

/** Splits `v1beta2`; undefined for other forms. Stability is 2 for stable, 1 for beta, 0 for alpha. */
const parsed = (version: string): readonly [stability: number, major: number, minor: number] | undefined => {
  const [, major, stage = "", minor = "0"] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? []
  return major === undefined ? undefined : [["alpha", "beta", ""].indexOf(stage), Number(major), Number(minor)]
}

/**
 * Compares versions of a group, the preferred one first: stable ones, then beta, then alpha, newer before older, and
 * others last. Upstream: apimachinery/pkg/version, CompareKubeAwareVersionStrings.
 */
export const compareVersions = (left: string, right: string): number => {
  const first = parsed(left)
  const second = parsed(right)
  if (first === undefined || second === undefined) {
    if (first !== undefined || second !== undefined) return first === undefined ? 1 : -1
    return Order.String(left, right)
  }
  for (const [index, value] of first.entries()) {
    const other = second[index] ?? 0
    if (value !== other) return other - value
  }
  return 0
}
