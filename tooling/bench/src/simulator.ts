import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { loadScenarios, type Plan, type ScenarioResult, simulate } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import type { BigCluster } from "./bigCluster.ts"
import { bareHeapLoop } from "./floor.ts"
import { processorSeconds } from "./measure.ts"

export interface SimulatorBench extends BigCluster {
  readonly minutes: number
  /** The client rate limit of the controllers; undefined: kube-controller-manager's default of 20. */
  readonly qps: number | undefined
  /** How long one zone is cut off, from the tenth minute on; 0: the hour is quiet. */
  readonly outageMinutes: number
  /** Whether every heartbeat is an object. */
  readonly everyHeartbeat: boolean
}

interface Outcome {
  readonly result: ScenarioResult
  readonly setUpSeconds: number
  readonly runSeconds: number
  /** The part for the first virtual minute, in which every kubelet takes over its pods. */
  readonly firstMinuteSeconds: number
  readonly heapBytes: number
}

const HEARTBEAT_MS = 10_000

const scenarioOf = ({ minutes, outageMinutes, qps }: SimulatorBench) => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "zone-b-of-three" },
  spec: {
    duration: `${minutes}m`,
    cluster: { snapshot: ["cluster.json"] },
    ...(qps === undefined
      ? {}
      : { config: { kubeControllerManager: { generic: { clientConnection: { qps, burst: qps } } } } }),
    events:
      outageMinutes === 0
        ? []
        : [{ at: "10m", for: `${outageMinutes}m`, fault: "partition", nodes: { zone: "zone-b" } }]
  }
})

const heapUsed = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/**
 * Writes the snapshot in a process of its own: the garbage of its objects would otherwise be collected, and counted, in
 * the one that is measured.
 */
const writeCluster = (file: string, { nodes, podsPerNode }: BigCluster) =>
  execFileSync(process.execPath, [
    ...process.execArgv,
    fileURLToPath(new URL("writeCluster.ts", import.meta.url)),
    file,
    `${nodes}`,
    `${podsPerNode}`
  ])

const run = async (options: SimulatorBench): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  try {
    const file = join(folder, "scenario.json")
    writeFileSync(file, JSON.stringify(scenarioOf(options)))
    writeCluster(join(folder, "cluster.json"), options)
    const program = Effect.gen(function* () {
      // Without a collection: after one, V8 would let the heap grow less before the next than it does for a user.
      const before = process.memoryUsage().heapUsed
      const plans = [...(yield* loadScenarios([file]))]
      const setUp = processorSeconds()
      // Drops the reference to the plan, and with it the parsed snapshot.
      const simulation = yield* simulate(plans.pop() as Plan, { everyHeartbeat: options.everyHeartbeat })
      const setUpSeconds = processorSeconds() - setUp
      const running = processorSeconds()
      // The heap once every kubelet runs: the memory for each node.
      simulation.runWhile(() => simulation.elapsedMs() < 60_000)
      const firstMinuteSeconds = processorSeconds() - running
      const heapBytes = heapUsed() - before
      const rest = processorSeconds()
      simulation.runWhile(() => true)
      const runSeconds = firstMinuteSeconds + (processorSeconds() - rest)
      return { result: simulation.result(runSeconds), setUpSeconds, runSeconds, firstMinuteSeconds, heapBytes }
    })
    return await Effect.runPromise(Effect.provide(Effect.scoped(program), NodeServices.layer))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const count = (value: number): string => Math.round(value).toLocaleString("en-US")

/** Simulates the loss of one zone of three for 12 minutes with every heartbeat, and compares it with a minimal program that fires the same heartbeats. */
export const benchSimulator = async (options: SimulatorBench): Promise<void> => {
  const { everyHeartbeat, minutes, nodes, outageMinutes, podsPerNode, qps } = options
  const heartbeats = Math.floor((minutes * 60_000) / HEARTBEAT_MS) * nodes
  const { firstMinuteSeconds, heapBytes, result, runSeconds, setUpSeconds } = await run(options)
  bareHeapLoop(nodes, HEARTBEAT_MS, heartbeats)
  const floorStart = processorSeconds()
  bareHeapLoop(nodes, HEARTBEAT_MS, heartbeats)
  const floorSeconds = processorSeconds() - floorStart
  const line = (name: string, value: string) => process.stdout.write(`  ${name.padEnd(46)} ${value}\n`)
  process.stdout.write(
    `\n${count(nodes)} nodes in 3 zones, ${podsPerNode} pods each, a zone partitioned for ${outageMinutes} of ${minutes} minutes, client limit ${qps ?? "20 (default)"}/s${everyHeartbeat ? ", every heartbeat an object" : ""}\n`
  )
  const timesRealTime = (virtualSeconds: number, taken: number) =>
    `${taken.toFixed(2)} s of processor time, ${count(virtualSeconds / taken)} times real time`
  const [goal, floorGoal] = outageMinutes === 0 ? ["2,500", 7] : ["450", 50]
  line("run", `${timesRealTime(minutes * 60, runSeconds)} (goal ${goal})`)
  line("of it the first minute", `${firstMinuteSeconds.toFixed(2)} s`)
  line("the other minutes", timesRealTime((minutes - 1) * 60, runSeconds - firstMinuteSeconds))
  line("set-up (restoring the snapshot)", `${setUpSeconds.toFixed(2)} s (goal 2)`)
  line("floor: bare heap loop of the same heartbeats", `${floorSeconds.toFixed(3)} s for ${count(heartbeats)} timers`)
  line("ratio to the floor", `${(runSeconds / floorSeconds).toFixed(1)} (goal ${floorGoal})`)
  line(
    "events run",
    `${count(result.summary.events)}, ${((runSeconds / result.summary.events) * 1e6).toFixed(2)} µs each`
  )
  line("heap per node with its pods", `${(heapBytes / nodes / 1024).toFixed(1)} KB (goal 100)`)
  line("pods evicted", count(result.summary.evictions.total))
  line("digest", result.summary.traceDigest)
}
