import { type Node, parseQuantity, value } from "@rollcall/api"
import { invalid } from "@rollcall/input"
import { type Machine, podSwap, swapBehaviourOf, swapStartProblem } from "@rollcall/kubelet"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { openOutput } from "../../output.ts"
import { nodePods, type PodsSource } from "./nodePods.ts"
import { releaseNamed } from "./releaseNamed.ts"
import { readShutdownConfig } from "./shutdownConfig.ts"
import { renderSwapJson, renderSwapTable, type SwapReport } from "./swapReport.ts"

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
const bytesOf = Effect.fnUntraced(function* (flag: string, given: string | undefined, shown: string | undefined) {
  if (given === undefined && shown === undefined) {
    return yield* invalid("command line", flag, "is required where no Node says it")
  }
  const text = given ?? shown ?? ""
  const parsed = parseQuantity(text)
  if (Result.isFailure(parsed) || value(parsed.success) < 0) {
    return yield* invalid("command line", flag, `found "${text}", expected a quantity such as 8Gi`)
  }
  return value(parsed.success)
})

const memoryOf = (node: Node | undefined): string | undefined => {
  const memory = node?.status?.capacity?.memory
  return memory === undefined ? undefined : String(memory)
}

const swapOf = (node: Node | undefined): string | undefined => {
  const { capacity } = node?.status?.nodeInfo?.swap ?? {}
  return capacity === undefined ? undefined : String(capacity)
}

const machineOf = (memoryBytes: number, swapBytes: number): Machine => ({
  capacity: { memory: String(memoryBytes) },
  addresses: [],
  operatingSystem: "linux",
  architecture: "",
  machineID: "",
  systemUUID: "",
  bootID: "",
  versions: { kernelVersion: "", osImage: "", runtimeType: "", runtimeVersion: undefined },
  images: [],
  swapBytes
})

export const runPlanSwap = Effect.fnUntraced(function* (options: PlanSwapOptions) {
  const release = yield* releaseNamed(options.release ?? "1.36")
  const { config, warnings } = yield* readShutdownConfig(options.config, options.configDir, release)
  const found = yield* nodePods(options)
  if (found === undefined) {
    return yield* invalid("command line", "--pods", "or --kubeconfig is required: what containers are there?")
  }
  const memoryBytes = yield* bytesOf("--memory", options.memory, memoryOf(found.object))
  const swapBytes = yield* bytesOf("--swap", options.swap, swapOf(found.object))
  for (const warning of warnings) yield* Console.error(`rollcall: warning: ${warning}`)
  const problem = swapStartProblem({ swapBytes }, config, release)
  if (problem !== undefined) return yield* invalid(options.config, "", `the kubelet would not start: ${problem}`)
  const machine = machineOf(memoryBytes, swapBytes)
  const report: SwapReport = {
    release,
    node: found.node,
    memoryBytes,
    swapBytes,
    behaviour: swapBehaviourOf(config.swapBehavior, release),
    pods: found.pods.map((pod) => ({ pod, containers: podSwap(pod, machine, config, release) }))
  }
  const { write } = yield* openOutput(undefined)
  yield* write(options.output === "json" ? renderSwapJson(report) : renderSwapTable(report))
}, Effect.scoped)
