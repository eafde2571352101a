/** A range of sizes or costs. As in cel-go, values beyond 64 bits are capped. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** The maximum cost: 2^64 - 1, rounded to a double. */
export const MAX_ESTIMATE = 2 ** 64

export const UNKNOWN: Range = { min: 0, max: MAX_ESTIMATE }
export const fixed = (value: number): Range => ({ min: value, max: value })
export const ZERO = fixed(0)
export const ONE = fixed(1)

const capped = (value: number): number => Math.min(value, MAX_ESTIMATE)

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

/**
 * The costs of making a list and a map, and of a character of a text and of a pattern. Upstream: cel-go/common/cost.go.
 */
export const LIST_COST = 10
export const MAP_COST = 30
export const MESSAGE_COST = 40
export const STRING_FACTOR = 0.1
export const REGEX_FACTOR = 0.25
