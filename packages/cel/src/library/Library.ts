import { ONE, type Range, STRING_FACTOR, timesFactor } from "../estimateSizes.ts"
import type { Meter } from "../Meter.ts"
import type { CelFunction } from "../operators.ts"
import type { CelType } from "../types.ts"
import { sizeOf, type Value } from "../values.ts"

/** The part of a call's operand that determines its cost. */
export interface Operand {
  readonly type: CelType
  readonly literal: Value | undefined
  readonly size: () => Range
  /** The size by the schema, where the expression determines none. */
  readonly sizeByPath: () => Range
  readonly itemSizeByPath: () => Range
}

/** The estimated cost of a call. */
export interface CallEstimate {
  readonly cost: Range
  /** The size of the result, if it is a text, a list or a map. */
  readonly size?: Range
}

/** Estimates a call of a function; returns undefined for the default estimate. */
export type Estimator = (target: Operand | undefined, args: ReadonlyArray<Operand>) => CallEstimate | undefined

/** Returns the cost of a call, before it is made, in case of success; `overload` is the only possible one. */
export type Cost = (args: ReadonlyArray<Value>, meter: Meter, overload?: string) => number

/**
 * A library that Kubernetes adds to CEL. Upstream: apiserver/pkg/cel/library/libraries.go; all its costs are in
 * cost.go.
 */
export interface Library {
  /** Types by their name in `overloads`. */
  readonly types: Readonly<Record<string, CelType>>
  /** The types that rules may name: `type(x) == net.IP`. */
  readonly typeNames: ReadonlyArray<string>
  /** Lines of the table of overloads. */
  readonly overloads: ReadonlyArray<string>
  readonly functions: Readonly<Record<string, CelFunction>>
  /** Functions whose call does not cost 1. */
  readonly costs: Readonly<Record<string, Cost>>
  readonly estimates: Readonly<Record<string, Estimator>>
  /** The cost of comparing two values of a type, by the type's name, where it differs from comparing two texts. */
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

/** The cost of parsing a text, the first argument: one traversal. */
export const parsing = traversals(1)
export const parsingEstimate = traversalsEstimate(1)

/** The cost of parsing a text and comparing it with the result. */
export const twiceParsing = traversals(2)
export const twiceParsingEstimate = traversalsEstimate(2)

export const constantEstimate: Estimator = () => ({ cost: ONE })
