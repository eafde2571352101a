import { parseQuantity, value } from "@rollcall/api"
import { type InvalidInput, invalid, missing, releaseOfName, wrongValue } from "@rollcall/input"
import { withLineNumbers } from "@rollcall/input/documents"
import { swapStartProblem } from "@rollcall/kubelet"
import { renderSwapJson, renderSwapTable, reportSwap, type SwapReport, swapSizesOf } from "@rollcall/kubelet/swap"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { layerFiles } from "../layerFiles.ts"
import { fileOf, type Given, type GivenObjects } from "./documents.ts"
import { readKubeletConfig } from "./kubeletConfig.ts"
import { readNodePods } from "./nodePods.ts"
import { type Planned, planned } from "./Planned.ts"

/** Of which node to plan the swap. */
export interface PlanSwapOptions {
  /** The KubeletConfiguration; a value may leave out its apiVersion and kind. */
  readonly config: Given
  /** The folder of drop-ins of the configuration. */
  readonly configDir?: string
  /** The pods of the node, and its Node if its sizes are not given here. */
  readonly pods: GivenObjects
  /** The name of the node, if the pods are on several. */
  readonly node?: string
  /** The memory of the machine, such as `32Gi`; by default what its Node states. */
  readonly memory?: string
  readonly swap?: string
  /** The Kubernetes release, such as 1.33; the newest by default. */
  readonly release?: string
}

const bytesOf = Effect.fnUntraced(function* (
  name: string,
  given: string | undefined,
  ofNode: number | undefined
): Effect.fn.Return<number, InvalidInput> {
  if (given === undefined) return ofNode ?? (yield* invalid("options", name, missing(", because no Node states it")))
  const parsed = parseQuantity(given)
  return Result.isFailure(parsed) || value(parsed.success) < 0
    ? yield* invalid("options", name, wrongValue(given, "a quantity such as 8Gi"))
    : value(parsed.success)
})

/** Plans how much swap each container of a node may use. Fails if the kubelet would not start on the machine. */
export const planSwap: (options: PlanSwapOptions) => Effect.Effect<Planned<SwapReport>, InvalidInput> =
  Effect.fnUntraced(
    function* (options: PlanSwapOptions) {
      const release = yield* Effect.fromResult(releaseOfName("options", options.release, "release"))
      const { config, warnings } = yield* readKubeletConfig(options.config, options.configDir ?? "", release)
      const found = yield* readNodePods(options)
      const ofNode = swapSizesOf(found?.object)
      const memoryBytes = yield* bytesOf("memory", options.memory, ofNode.memoryBytes)
      const swapBytes = yield* bytesOf("swap", options.swap, ofNode.swapBytes)
      const problem = swapStartProblem({ swapBytes }, config, release)
      if (problem !== undefined) {
        return yield* invalid(fileOf(options.config, "config"), "", `the kubelet would not start: ${problem}`)
      }
      const report = reportSwap({ memoryBytes, swapBytes }, config, release, found ?? { pods: [] })
      return planned(report, report, warnings, { table: renderSwapTable, json: renderSwapJson })
    },
    withLineNumbers,
    Effect.provide(layerFiles)
  )
