/** A range of sizes or costs, as in cel-go: values beyond 64 bits are capped. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** The maximum cost: 2^64 - 1, rounded to a double. */
export const MOST = 2 ** 64

export const UNKNOWN: Range = { min: 0, max: MOST }
export const fixed = (value: number): Range => ({ min: value, max: value })
export const ZERO = fixed(0)
export const ONE = fixed(1)

const capped = (value: number): number => Math.min(value, MOST)

export const plus = (left: Range, right: Range): Range => ({
  min: capped(left.min + right.min),
  max: capped(left.max + right.max)
})
export const sumOf = (ranges: ReadonlyArray<Range>): Range => ranges.reduce(plus, ZERO)
export const times = (left: Range, right: Range): Range => ({
  min: capped(left.min * right.min),
  max: capped(left.max * right.max)
})
export const timesFactor = ({ max, min }: Range, factor: number): Range => ({
  min: capped(Math.ceil(min * factor)),
  max: capped(Math.ceil(max * factor))
})
export const union = (left: Range, right: Range): Range => ({
  min: Math.min(left.min, right.min),
  max: Math.max(left.max, right.max)
})

/** Upstream: cel-go/common/cost.go. */
export const LIST_COST = 10
export const MAP_COST = 30
export const STRING_FACTOR = 0.1
export const REGEX_FACTOR = 0.25
