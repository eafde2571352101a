import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { loadScenarios, type Plan, type ScenarioResult, simulate } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { processorSeconds } from "./measure.ts"

const ZONES = ["zone-a", "zone-b", "zone-c"]
/** By this time all schedulable pods are scheduled: controllers send 20 requests a second. */
const OUTAGE_FROM = 15 * 60
const OUTAGE_SECONDS = 60 * 60
const DURATION = 2 * 60 * 60

interface Listed {
  readonly kind: string
  readonly metadata: { readonly name: string }
}

const read = (file: string): ReadonlyArray<Listed> => {
  const value = JSON.parse(readFileSync(file, "utf8")) as { readonly items?: ReadonlyArray<Listed> }
  if (!Array.isArray(value.items)) throw new Error(`${file}: no List of Kubernetes objects`)
  return value.items
}

/** The data has no zones: every third node is in the same one. */
const zoneLabels = (nodes: ReadonlyArray<Listed>) =>
  ZONES.map((zone, turn) => ({
    at: 0,
    do: "label",
    nodes: { names: nodes.filter((_, index) => index % ZONES.length === turn).map(({ metadata }) => metadata.name) },
    labels: { "topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": "openb" }
  }))

const scenario = (nodes: ReadonlyArray<Listed>) => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "a-zone-of-a-real-cluster-for-an-hour" },
  spec: {
    duration: DURATION,
    cluster: { snapshot: ["nodes.json"], manifests: ["workloads.json"] },
    events: [...zoneLabels(nodes), { at: OUTAGE_FROM, for: OUTAGE_SECONDS, fault: "crash", nodes: { zone: "zone-b" } }]
  }
})

/** Returns the running and the unschedulable pods at a time, from the trace. */
const podsAt = ({ trace }: Pick<ScenarioResult, "trace">, until: number) => {
  const running = new Set<string>()
  const waiting = new Map<string, string>()
  const alive = new Set<string>()
  const going = new Set<string>()
  for (const entry of trace) {
    if (entry.at > until) break
    if (!("pod" in entry)) continue
    const key = `${entry.namespace}/${entry.pod}`
    if (entry.type === "PodCreated") alive.add(key)
    else if (entry.type === "PodUnschedulable") waiting.set(key, entry.message)
    else if (entry.type === "PodScheduled") waiting.delete(key)
    else if (entry.type === "PodReadyChanged") running[entry.ready ? "add" : "delete"](key)
    else if (entry.type === "PodDeletionRequested") going.add(key)
    else if (entry.type === "PodDeleted") for (const set of [running, waiting, alive, going]) set.delete(key)
  }
  for (const key of going) for (const set of [running, waiting, alive]) set.delete(key)
  return { alive, running, waiting }
}

const tally = (messages: Iterable<string>): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const message of messages) counts.set(message, (counts.get(message) ?? 0) + 1)
  return [...counts].sort(([, left], [, right]) => right - left)
}

const count = (value: number): string => Math.round(value).toLocaleString("en-US")
const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB`
const line = (name: string, value: string) => process.stdout.write(`  ${name.padEnd(52)} ${value}\n`)
const MOST_REASONS = 3

const heapUsed = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const run = async (files: ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(tmpdir(), "openb-"))
  try {
    const objects = files.flatMap(read)
    const list = (items: ReadonlyArray<unknown>) => JSON.stringify({ apiVersion: "v1", kind: "List", items })
    const nodes = objects.filter(({ kind }) => kind === "Node")
    writeFileSync(join(folder, "nodes.json"), list(nodes))
    writeFileSync(join(folder, "workloads.json"), list(objects.filter(({ kind }) => kind !== "Node")))
    const file = join(folder, "scenario.json")
    writeFileSync(file, JSON.stringify(scenario(nodes)))
    const program = Effect.gen(function* () {
      const before = heapUsed()
      const plans = [...(yield* loadScenarios([file]))]
      const starting = processorSeconds()
      const simulation = yield* simulate(plans.pop() as Plan)
      const setUp = processorSeconds() - starting
      const upTo = (second: number): number => {
        const start = processorSeconds()
        simulation.runWhile(() => simulation.elapsedMs() < second * 1000)
        return processorSeconds() - start
      }
      const placing = upTo(OUTAGE_FROM)
      const heap = heapUsed() - before
      const outage = upTo(OUTAGE_FROM + OUTAGE_SECONDS)
      const after = upTo(DURATION)
      return { result: simulation.result(0), nodes: nodes.length, heap, seconds: { setUp, placing, outage, after } }
    })
    return await Effect.runPromise(Effect.provide(Effect.scoped(program), NodeServices.layer))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Counts scheduling cycles: each ends with a bound pod, or with an Event that says why not. */
const cyclesIn = ({ events, trace }: ScenarioResult, from: number, to: number): number => {
  const within = ({ at }: { readonly at: number }) => at >= from && at < to
  const bound = trace.filter((entry) => entry.type === "PodScheduled" && within(entry)).length
  return bound + events.filter((event) => event.reason === "FailedScheduling" && within(event)).length
}

/** A real cluster's nodes and workloads in three zones, of which one loses power for an hour. */
export const benchOpenb = async (files: ReadonlyArray<string>): Promise<void> => {
  const { heap, nodes, result, seconds } = await run(files)
  const end = OUTAGE_FROM + OUTAGE_SECONDS
  const [before, during, last] = [OUTAGE_FROM, end - 1, DURATION].map((until) => podsAt(result, until))
  if (before === undefined || during === undefined || last === undefined) return
  const replaced = result.trace.filter(({ at, type }) => type === "PodScheduled" && at > OUTAGE_FROM && at < end)
  const [first, latest] = [replaced[0]?.at ?? 0, replaced.at(-1)?.at ?? 0]
  const taken = seconds.placing + seconds.outage + seconds.after
  process.stdout.write(
    `\n${count(nodes)} nodes in 3 zones, ${count(before.alive.size)} pods; one zone without power for an hour\n`
  )
  line(
    "processor time of two virtual hours",
    `${taken.toFixed(2)} s: ${count(DURATION / taken)} times real time (goal 5 s)`
  )
  const parts = [seconds.setUp, seconds.placing, seconds.outage, seconds.after].map((part) => part.toFixed(2))
  line("set-up; placing, the outage, after it", parts.join("; "))
  line("heap, all pods running", megabytes(heap))
  line("placed before the outage", `${count(before.running.size)} run, ${count(before.waiting.size)} cannot be placed`)
  line("evicted", count(result.summary.evictions.total))
  line(
    "replaced during the outage",
    `${count(replaced.length)}, ${(replaced.length / Math.max(1, latest - first)).toFixed(2)} per virtual second`
  )
  line("at its end", `${count(during.running.size)} run, ${count(during.waiting.size)} cannot be placed`)
  line("45 minutes after it", `${count(last.running.size)} run, ${count(last.waiting.size)} cannot be placed`)
  line("neither running nor told why not", count(last.alive.size - last.running.size - last.waiting.size))
  line("scheduler cycles while placing", perSecond(cyclesIn(result, 0, OUTAGE_FROM), seconds.placing))
  line("scheduler cycles during the outage", perSecond(cyclesIn(result, OUTAGE_FROM, end), seconds.outage))
  line("digest", result.summary.traceDigest)
  for (const [title, { waiting }] of [
    ["at the end of the outage", during],
    ["at the end", last]
  ] as const) {
    for (const [message, pods] of tally(waiting.values()).slice(0, MOST_REASONS)) {
      process.stdout.write(`  ${title}, ${count(pods)} pods: ${message}\n`)
    }
  }
}

const perSecond = (cycles: number, seconds: number): string =>
  `${count(cycles)}, ${count(cycles / seconds)} per processor second`
