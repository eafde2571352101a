import { parseQuantity, value } from "@rollcall/api"
import { invalid, releaseOfName } from "@rollcall/input"
import { swapStartProblem } from "@rollcall/kubelet"
import { renderSwapJson, renderSwapTable, reportSwap, swapSizesOf } from "@rollcall/kubelet/swap"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { openOutput } from "../../output.ts"
import { type PodsSource, readNodePods } from "./nodePods.ts"
import { readShutdownConfig } from "./shutdownConfig.ts"

export interface PlanSwapOptions extends PodsSource {
  readonly config: string
  /** The folder of drop-ins; empty: none. */
  readonly configDir: string
  readonly memory: string | undefined
  readonly swap: string | undefined
  readonly release: string | undefined
  readonly output: "table" | "json"
}

/** Returns the bytes of a flag, or else those in the status of the Node. */
const bytesOf = Effect.fnUntraced(function* (flag: string, given: string | undefined, shown: number | undefined) {
  if (given === undefined) {
    return shown ?? (yield* invalid("command line", flag, "the size is required, because no Node states it"))
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
  const found = yield* readNodePods(options)
  if (found === undefined) {
    return yield* invalid(
      "command line",
      "--pods",
      "the containers of the node are required: give --pods or --kubeconfig"
    )
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
