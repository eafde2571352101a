import { ONE, STRING_FACTOR, timesFactor } from "../estimateSizes.ts"
import { sizeOf } from "../values.ts"
import type { Cost, Estimator } from "./Library.ts"

/** One traversal of the first argument, a text that is parsed. */
export const parsing: Cost = ([text = null], meter) => {
  if (typeof text === "string") meter.read(text.length)
  return Math.ceil(sizeOf(text) * STRING_FACTOR)
}

export const parsingEstimate: Estimator = (_, [text]) => text && { cost: timesFactor(text.sizeByPath(), STRING_FACTOR) }

export const constantEstimate: Estimator = () => ({ cost: ONE })
