import { parseQuantity, value } from "@rollcall/api"
import { invalid, releaseOfName } from "@rollcall/input"
import { swapStartProblem } from "@rollcall/kubelet"
import { renderSwapJson, renderSwapTable, reportSwap, swapSizesOf } from "@rollcall/kubelet/swap"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { openOutput } from "../../output.ts"
import { nodePods, type PodsSource } from "./nodePods.ts"
import { readShutdownConfig } from "./shutdownConfig.ts"

export interface PlanSwapOptions extends PodsSource {
  readonly config: string
  /** Empty: none. */
  readonly configDir: string
  readonly memory: string | undefined
  readonly swap: string | undefined
  readonly release: string | undefined
  readonly output: "table" | "json"
}

/** Bytes of a flag, or of what the Node says. */
const bytesOf = Effect.fnUntraced(function* (flag: string, given: string | undefined, shown: number | undefined) {
  if (given === undefined) {
    return shown ?? (yield* invalid("command line", flag, "is required where no Node says it"))
  }
  const parsed = parseQuantity(given)
  if (Result.isFailure(parsed) || value(parsed.success) < 0) {
    return yield* invalid("command line", flag, `found "${given}", expected a quantity such as 8Gi`)
  }
  return value(parsed.success)
})

export const runPlanSwap = Effect.fnUntraced(function* (options: PlanSwapOptions) {
  const release = yield* Effect.fromResult(releaseOfName("command line", options.release, "--release"))
  const { config, warnings } = yield* readShutdownConfig(options.config, options.configDir, release)
  const found = yield* nodePods(options)
  if (found === undefined) {
    return yield* invalid("command line", "--pods", "or --kubeconfig is required: what containers are there?")
  }
  const shown = swapSizesOf(found.object)
  const memoryBytes = yield* bytesOf("--memory", options.memory, shown.memoryBytes)
  const swapBytes = yield* bytesOf("--swap", options.swap, shown.swapBytes)
  for (const warning of warnings) yield* Console.error(`rollcall: warning: ${warning}`)
  const problem = swapStartProblem({ swapBytes }, config, release)
  if (problem !== undefined) return yield* invalid(options.config, "", `the kubelet would not start: ${problem}`)
  const report = reportSwap({ memoryBytes, swapBytes }, config, release, found)
  const { write } = yield* openOutput(undefined)
  yield* write(options.output === "json" ? renderSwapJson(report) : renderSwapTable(report))
}, Effect.scoped)
