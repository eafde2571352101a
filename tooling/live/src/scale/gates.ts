import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Pod } from "@rollcall/api"
import { Cluster, type Connection, Informer } from "@rollcall/cluster"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { residentMiB } from "../process/processMemory.ts"
import { configOf, connectionTo, freePort, startRollcall, temporaryFolder } from "../process/rollcall.ts"

const NAMESPACE = "default"
const CONNECTIONS = 32
const TIMEOUT_MS = 300_000

const scenario = (nodes: number, pods: number): string =>
  JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Scenario",
    metadata: { name: "gates" },
    spec: {
      duration: "1h",
      cluster: {
        nodes: [
          {
            name: "big",
            count: 1,
            capacity: { cpu: "10000", memory: "64Ti", pods: String(2 * pods) },
            kubelet: { maxPods: 2 * pods }
          },
          { name: "n", count: nodes - 1, zone: "zone-a" }
        ]
      }
    }
  })

const podNamed = (name: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: NAMESPACE },
  spec: { nodeName: "big-0", containers: [{ name: "c", image: "registry.k8s.io/pause:3.10" }] }
})

/** Sends a request for each name with limited concurrency; dies if one is refused. */
const sendForEach = (
  names: ReadonlyArray<string>,
  connection: Connection,
  requestFor: (name: string) => Parameters<Connection["send"]>[0]
) =>
  Effect.forEach(
    names,
    (name) =>
      Effect.callback<void>((resume) => {
        const cancel = connection.send(requestFor(name), (answer) =>
          resume(Result.isSuccess(answer) ? Effect.void : Effect.die(new Error(`${name}: ${answer.failure.message}`)))
        )
        return Effect.sync(cancel)
      }),
    { concurrency: CONNECTIONS, discard: true }
  )

/** Watches the pods like a controller, which lists again if the server drops a slow watch; ends when `pods` run, or none is left. */
const watchPods = Effect.fnUntraced(function* (connection: Connection, pods: number) {
  const running = yield* Deferred.make<void>()
  const gone = yield* Deferred.make<void>()
  const runningPods = new Set<string>()
  const markRunning = ({ metadata, status }: Pod) => {
    if (status?.phase !== "Running") return
    runningPods.add(metadata.name ?? "")
    if (runningPods.size === pods) Deferred.doneUnsafe(running, Effect.void)
  }
  const markDeleted = ({ metadata }: Pod) => {
    if (runningPods.delete(metadata.name ?? "") && runningPods.size === 0) Deferred.doneUnsafe(gone, Effect.void)
  }
  let watchErrors = 0
  yield* Informer.make("Pod", {
    namespace: NAMESPACE,
    handlers: [{ onAdd: markRunning, onUpdate: (_, pod) => markRunning(pod), onDelete: markDeleted }],
    onError: () => {
      watchErrors++
    }
  }).pipe(Effect.provide(Cluster.layerConnection(connection)))
  const awaitWithTimeout = (what: Deferred.Deferred<void>) => Deferred.await(what).pipe(Effect.timeout(TIMEOUT_MS))
  return { running: awaitWithTimeout(running), gone: awaitWithTimeout(gone), watchErrors: () => watchErrors }
})

/** The measured times, and the resident memory of the process that runs the whole cluster. */
export interface GateFigures {
  readonly readySeconds: number
  readonly runningSeconds: number
  readonly deletedSeconds: number
  readonly memoryMiB: number
}

/**
 * The gates of KWOK's own benchmark: the time until `nodes` nodes are Ready from exec on, until `pods` pods are Running on one node, and until all are deleted with a
 * grace period of 1 s. Upstream: sigs.k8s.io/kwok test/kwokctl/kwokctl_benchmark_test.sh.
 */
export const gates = Effect.fnUntraced(function* (nodes: number, pods: number) {
  const folder = yield* temporaryFolder
  const port = yield* freePort
  const file = join(folder, "gates.yaml")
  writeFileSync(file, scenario(nodes, pods))
  const now = Clock.currentTimeMillis
  const started = yield* now
  const secondsSince = (from: number) => Effect.map(now, (at) => (at - from) / 1000)
  const up = yield* startRollcall("up", "--config", file, "--port", String(port), "--data-dir", folder)
  yield* up.waitForOutput(/Ready after/, TIMEOUT_MS)
  const readySeconds = yield* secondsSince(started)
  yield* Console.log(`${nodes} nodes Ready, from exec on: ${readySeconds.toFixed(1)} s (KWOK's gate: 60 s for 5,000)`)

  const connection = yield* connectionTo(yield* configOf(`${folder}/admin.conf`), { maxSockets: CONNECTIONS })
  const podWatch = yield* watchPods(connection, pods)
  const names = Array.from({ length: pods }, (_, index) => `pod-${index}`)
  const target = { kind: "Pod", namespace: NAMESPACE } as const
  const createStartedMs = yield* now
  yield* sendForEach(names, connection, (name) => ({ ...target, verb: "create", object: podNamed(name) }))
  const created = yield* secondsSince(createStartedMs)
  yield* podWatch.running
  const runningSeconds = yield* secondsSince(createStartedMs)
  yield* Console.log(
    `${pods} pods Running on one node: ${runningSeconds.toFixed(1)} s, of which creating them ${created.toFixed(1)} s (60 s for 10,000)`
  )
  const deleteStartedMs = yield* now
  yield* sendForEach(names, connection, (name) => ({
    ...target,
    verb: "delete",
    name,
    options: { gracePeriodSeconds: 1 }
  }))
  const asked = yield* secondsSince(deleteStartedMs)
  yield* podWatch.gone
  const deletedSeconds = yield* secondsSince(deleteStartedMs)
  yield* Console.log(
    `${pods} pods deleted: ${deletedSeconds.toFixed(1)} s, of which asking for it ${asked.toFixed(1)} s (90 s for 10,000)`
  )
  yield* Console.log(`the watch that followed them broke ${podWatch.watchErrors()} times`)
  const memoryMiB = residentMiB(up.pid)
  yield* Console.log(`resident memory of the whole cluster: ${memoryMiB.toFixed(0)} MiB`)
  return { readySeconds, runningSeconds, deletedSeconds, memoryMiB } satisfies GateFigures
}, Effect.scoped)
