import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { formatTime, type Pod } from "@rollcall/api"
import { ApiServer } from "@rollcall/api-server"
import { type ApiRequest, type Connection, fromConnection } from "@rollcall/cluster"
import { loadScenarios, type Plan, simulate } from "@rollcall/simulator"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { bigCluster } from "./bigCluster.ts"

const START_MS = Date.UTC(2026, 0, 1)
/** Enough for most functions to be compiled. */
const WARM_UP = 2000
const MEASURED = 8000
const LEAST_WRITES = 500_000
const REPLICAS = 3000
const NODES = 1000

const processorSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1e6
}

const pods = bigCluster({ nodes: 100, podsPerNode: 100 }).filter((object): object is Pod => object.kind === "Pod")

const withReady = (pod: Pod, status: "True" | "False", nowMs: number): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    conditions: (pod.status?.conditions ?? []).map((condition) =>
      condition.type === "Ready" ? { ...condition, status, lastTransitionTime: formatTime(nowMs) } : condition
    )
  }
})

/** Microseconds of each of the calls after those that warm up. */
const microsecondsEach = (act: (number: number) => void, measured = MEASURED): number => {
  for (let number = 0; number < WARM_UP; number++) act(number)
  const start = processorSeconds()
  for (let number = WARM_UP; number < WARM_UP + measured; number++) act(number)
  return ((processorSeconds() - start) / measured) * 1e6
}

/** The least program of a write: a new object with another condition in a map, and one call for who watches. */
const leastWrite = (): number => {
  const objects = new Map(pods.map((pod) => [pod.metadata.name, pod]))
  let seen = 0
  const watch = ({ status }: Pod) => {
    seen += status?.conditions?.length ?? 0
  }
  return microsecondsEach((number) => {
    const { name } = (pods[number % pods.length] as Pod).metadata
    const next = withReady(objects.get(name) as Pod, number % 2 === 0 ? "False" : "True", START_MS + seen)
    objects.set(name, next)
    watch(next)
  }, LEAST_WRITES)
}

/** The costs of a status write, and of the requests of an eviction, to the API server of a rehearsal with one watch of pods. */
const requestCosts = () => {
  const time = makeVirtualTime(START_MS)
  const measure = (admin: Connection): { readonly write: number; readonly eviction: number } => {
    admin.watch({ verb: "watch", kind: "Pod" }, { events: () => {}, end: () => {} })
    const send = (request: ApiRequest): unknown => {
      let answer: unknown
      admin.send(request, (result) => {
        answer = Result.getOrThrow(result)
      })
      time.runUntil(time.timers.now() + 1)
      return answer
    }
    const target = (number: number) => {
      const { name = "", namespace = "" } = (pods[number % pods.length] as Pod).metadata
      return { kind: "Pod", name, namespace } as const
    }
    const current = pods.map((_, number) => send({ verb: "get", ...target(number) }) as Pod)
    const write = microsecondsEach((number) => {
      const at = number % pods.length
      const object = withReady(current[at] as Pod, number % 2 === 0 ? "False" : "True", time.timers.now())
      current[at] = send({ verb: "update", ...target(number), subresource: "status", object }) as Pod
    })
    const conditions = [{ type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" }]
    const body = { status: { conditions } }
    const eviction = microsecondsEach((number) => {
      const pod = target(number)
      send({ verb: "get", ...pod })
      send({ verb: "patch", ...pod, subresource: "status", patchType: "strategic", body })
      send({ verb: "delete", ...pod })
      send({ verb: "delete", ...pod, options: { gracePeriodSeconds: 0 } })
    })
    return { write, eviction }
  }
  const program = Effect.gen(function* () {
    const server = yield* ApiServer
    const admin = server.connect({ user: "admin", groups: ["system:masters"], userAgent: "bench" })
    yield* server.restore(pods)
    yield* fromConnection(admin).list("Pod")
    return admin
  })
  const exit = time.run(
    Effect.map(program, (admin) => () => measure(admin)).pipe(
      Effect.provide(ApiServer.layer({ renewalColumns: true }).pipe(Layer.provide(layerMemory()))),
      Effect.scoped
    )
  )
  if (Exit.isFailure(exit)) throw new Error("the API server does not start")
  return exit.value()
}

/** Processor seconds of a rehearsal in which a ReplicaSet has so many pods made, placed, bound and started. */
const placingSeconds = async (replicas: number): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  try {
    const labels = { app: "placed" }
    const containers = [{ name: "c", image: "c:1", resources: { requests: { cpu: "500m", memory: "1Gi" } } }]
    const file = join(folder, "scenario.json")
    const clientConnection = { qps: 10_000, burst: 10_000 }
    const nodes = [{ name: "n", count: NODES, zone: "a", capacity: { cpu: "64", memory: "256Gi", pods: "110" } }]
    const spec = {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } }
    }
    const set = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "placed", namespace: "default" }, spec }
    writeFileSync(join(folder, "set.json"), JSON.stringify(set))
    const scenario = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Scenario",
      metadata: { name: "placing" },
      spec: {
        duration: "3m",
        cluster: { nodes, manifests: ["set.json"] },
        config: { kubeControllerManager: { generic: { clientConnection } }, scheduler: { clientConnection } }
      }
    }
    writeFileSync(file, JSON.stringify(scenario))
    const program = Effect.gen(function* () {
      const [plan] = yield* loadScenarios([file])
      const simulation = yield* simulate(plan as Plan)
      const start = processorSeconds()
      simulation.runWhile(() => true)
      return processorSeconds() - start
    })
    return await Effect.runPromise(Effect.provide(Effect.scoped(program), NodeServices.layer))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What the parts of an outage cost each, beside the least program of a write. */
export const benchOutageCosts = async (): Promise<void> => {
  const floor = leastWrite()
  const { eviction, write } = requestCosts()
  await placingSeconds(REPLICAS)
  const placed = await placingSeconds(REPLICAS)
  const placing = ((placed - (await placingSeconds(0))) / REPLICAS) * 1e6
  const line = (name: string, microseconds: number) =>
    process.stdout.write(
      `  ${name.padEnd(46)} ${microseconds.toFixed(1)} µs, ${Math.round(microseconds / floor)} times the floor\n`
    )
  process.stdout.write("\nthe parts of an outage, processor time of each\n")
  process.stdout.write(`  ${"floor: a new object in a map, one watcher".padEnd(46)} ${floor.toFixed(2)} µs\n`)
  line("a status write to the API, one watcher", write)
  line("an eviction: read, condition, two deletes", eviction)
  line("a pod made, scheduled, bound and started", placing)
}
