import { ONE, type Range, STRING_FACTOR, timesFactor } from "../estimateSizes.ts"
import type { Meter } from "../Meter.ts"
import type { CelFunction } from "../operators.ts"
import type { CelType } from "../types.ts"
import { sizeOf, type Value } from "../values.ts"

/** An operand of a call, as far as its cost matters. */
export interface Operand {
  readonly type: CelType
  readonly literal: Value | undefined
  readonly size: () => Range
  /** The size that the schema gives where the expression gives none. */
  readonly sizeByPath: () => Range
  readonly itemSizeByPath: () => Range
}

export interface CallEstimate {
  readonly cost: Range
  /** The size of the result, where that is a text, a list or a map. */
  readonly size?: Range
}

/** What a call of a function costs at most and at least; undefined: as a call of any function. */
export type Estimator = (target: Operand | undefined, args: ReadonlyArray<Operand>) => CallEstimate | undefined

/** What a call of a function costs, before it is made. */
export type Cost = (args: ReadonlyArray<Value>, meter: Meter) => number

/**
 * What one of Kubernetes' libraries adds to CEL. Upstream: apiserver/pkg/cel/library/libraries.go; its costs are all in cost.go.
 */
export interface Library {
  /** Types by the name that `overloads` has for them. */
  readonly types: Readonly<Record<string, CelType>>
  /** Those of them that rules may name: `type(x) == net.IP`. */
  readonly typeNames: ReadonlyArray<string>
  /** Lines of the table of overloads. */
  readonly overloads: ReadonlyArray<string>
  readonly functions: Readonly<Record<string, CelFunction>>
  /** Functions whose call does not cost 1. */
  readonly costs: Readonly<Record<string, Cost>>
  readonly estimates: Readonly<Record<string, Estimator>>
  /** What it costs to compare two values of a type, by the type's name, where that is not the comparison of two texts. */
  readonly equality: Readonly<Record<string, Estimator>>
}

const traversals =
  (count: number): Cost =>
  ([text = null], meter) => {
    if (typeof text === "string") meter.read(text.length)
    return Math.ceil(sizeOf(text) * count * STRING_FACTOR)
  }

const traversalsEstimate =
  (count: number): Estimator =>
  (_, [text]) =>
    text && { cost: timesFactor(text.sizeByPath(), count * STRING_FACTOR) }

/** One traversal of the first argument, a text that is parsed. */
export const parsing = traversals(1)
export const parsingEstimate = traversalsEstimate(1)

/** The text is compared with what was parsed, too. */
export const twiceParsing = traversals(2)
export const twiceParsingEstimate = traversalsEstimate(2)

export const constantEstimate: Estimator = () => ({ cost: ONE })
