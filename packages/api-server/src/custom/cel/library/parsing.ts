import { ONE, STRING_FACTOR, timesFactor } from "../estimateSizes.ts"
import { sizeOf } from "../values.ts"
import type { Cost, Estimator } from "./Library.ts"

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
