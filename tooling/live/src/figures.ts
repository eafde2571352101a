/** Returns the quantile of the values at a share. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

/** Formats the distribution of milliseconds: `p50 1.2 s   p90 …`. */
export const distribution = (milliseconds: ReadonlyArray<number>): string =>
  [
    ["min", 0],
    ["p50", 0.5],
    ["p90", 0.9],
    ["p99", 0.99],
    ["max", 1]
  ]
    .map(([name, share]) => `${name} ${(quantile(milliseconds, Number(share)) / 1000).toFixed(2)} s`)
    .join("   ")
