import { parseDuration } from "@rollcall/api"
import { measuredCosts, rehearsedLoad, renderScaleTable, scaleLoad } from "@rollcall/simulator/scale"
import * as Effect from "effect/Effect"
import { openOutput } from "../../output.ts"
import { usageError } from "../../usageError.ts"

/** The command line of `rollcall plan scale`. */
export interface PlanScaleOptions {
  /** The numbers of nodes as texts; none for the usual ones. */
  readonly sizes: ReadonlyArray<string>
  readonly podsPerNode: number
  readonly podLife: string
  readonly output: "table" | "json"
}

const USUAL_SIZES = ["5000", "15000", "65000", "130000"]
const MOST_NODES = 1_000_000
const HOUR_MS = 3_600_000

const sizeOf = Effect.fnUntraced(function* (text: string) {
  const size = Number(text.replaceAll(",", ""))
  if (Number.isInteger(size) && size > 0 && size <= MOST_NODES) return size
  return yield* usageError(`found "${text}", expected a number of nodes up to ${MOST_NODES}`)
})

/** Runs `rollcall plan scale`. */
export const runPlanScale = Effect.fnUntraced(function* (options: PlanScaleOptions) {
  const { output, podLife, podsPerNode, sizes } = options
  const lifeMs = parseDuration(podLife)
  if (!(lifeMs > 0)) return yield* usageError(`found "${podLife}", expected a duration such as 24h`, "--pod-life")
  const nodes = yield* Effect.forEach(sizes.length === 0 ? USUAL_SIZES : sizes, sizeOf)
  const each = yield* rehearsedLoad
  const loads = nodes.map((size) =>
    scaleLoad({ nodes: size, podsPerNode, podLifeHours: lifeMs / HOUR_MS }, each, measuredCosts)
  )
  const { write } = yield* openOutput(undefined)
  yield* write(output === "json" ? `${JSON.stringify({ each, loads }, undefined, 2)}\n` : renderScaleTable(loads, each))
}, Effect.scoped)
