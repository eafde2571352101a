import { parseQuantity, value } from "@rollcall/api"
import { invalid, releaseOfName } from "@rollcall/input"
import { swapStartProblem } from "@rollcall/kubelet"
import { renderSwapJson, renderSwapTable, reportSwap, swapSizesOf } from "@rollcall/kubelet/swap"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { openOutput } from "../../output.ts"
import { usageError } from "../../usageError.ts"
import { type PodsSource, readNodePods } from "./nodePods.ts"
import { readShutdownConfig } from "./shutdownConfig.ts"

/** The command line of `rollcall plan swap`. */
export interface PlanSwapOptions extends PodsSource {
  readonly config: string
  /** The folder of drop-ins of the configuration file; "" if there is none. */
  readonly configDir: string
  /** The memory of the node as a quantity: `32Gi`. */
  readonly memory: string | undefined
  readonly swap: string | undefined
  readonly release: string | undefined
  readonly output: "table" | "json"
}

/** Returns the bytes of a flag, or else `ofNode`, the bytes that the status of the Node states. Fails if neither is known. */
const bytesOf = Effect.fnUntraced(function* (flag: string, given: string | undefined, ofNode: number | undefined) {
  if (given === undefined) {
    return ofNode ?? (yield* usageError("the size is required, because no Node states it", flag))
  }
  const parsed = parseQuantity(given)
  if (Result.isFailure(parsed) || value(parsed.success) < 0) {
    return yield* usageError(`found "${given}", expected a quantity such as 8Gi`, flag)
  }
  return value(parsed.success)
})

/** Runs `rollcall plan swap`. Fails if the kubelet would not start on the machine with this configuration. */
export const runPlanSwap = Effect.fnUntraced(function* (options: PlanSwapOptions) {
  const release = yield* Effect.fromResult(releaseOfName("command line", options.release, "--release"))
  const { config, warnings } = yield* readShutdownConfig(options.config, options.configDir, release)
  const found = yield* readNodePods(options)
  if (found === undefined) {
    return yield* usageError("the containers of the node are required: give --pods or --kubeconfig", "--pods")
  }
  const ofNode = swapSizesOf(found.object)
  const memoryBytes = yield* bytesOf("--memory", options.memory, ofNode.memoryBytes)
  const swapBytes = yield* bytesOf("--swap", options.swap, ofNode.swapBytes)
  for (const warning of warnings) yield* Console.error(`rollcall: warning: ${warning}`)
  const startProblem = swapStartProblem({ swapBytes }, config, release)
  if (startProblem !== undefined) {
    return yield* invalid(options.config, "", `the kubelet would not start: ${startProblem}`)
  }
  const report = reportSwap({ memoryBytes, swapBytes }, config, release, found)
  const { write } = yield* openOutput(undefined)
  yield* write(options.output === "json" ? renderSwapJson(report) : renderSwapTable(report))
}, Effect.scoped)
