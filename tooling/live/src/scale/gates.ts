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
const PATIENCE_MS = 300_000

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
const forAll = (
  names: ReadonlyArray<string>,
  connection: Connection,
  ask: (name: string) => Parameters<Connection["send"]>[0]
) =>
  Effect.forEach(
    names,
    (name) =>
      Effect.callback<void>((resume) => {
        const cancel = connection.send(ask(name), (answer) =>
          resume(Result.isSuccess(answer) ? Effect.void : Effect.die(new Error(`${name}: ${answer.failure.message}`)))
        )
        return Effect.sync(cancel)
      }),
    { concurrency: CONNECTIONS, discard: true }
  )

/** Watches the pods like a controller, which lists again if the server drops a slow watch; ends when `pods` run, or none is left. */
const followPods = Effect.fnUntraced(function* (connection: Connection, pods: number) {
  const running = yield* Deferred.make<void>()
  const gone = yield* Deferred.make<void>()
  const seen = new Set<string>()
  const see = ({ metadata, status }: Pod) => {
    if (status?.phase !== "Running") return
    seen.add(metadata.name ?? "")
    if (seen.size === pods) Deferred.doneUnsafe(running, Effect.void)
  }
  const lose = ({ metadata }: Pod) => {
    if (seen.delete(metadata.name ?? "") && seen.size === 0) Deferred.doneUnsafe(gone, Effect.void)
  }
  let breaks = 0
  yield* Informer.make("Pod", {
    namespace: NAMESPACE,
    handlers: [{ onAdd: see, onUpdate: (_, pod) => see(pod), onDelete: lose }],
    onError: () => {
      breaks++
    }
  }).pipe(Effect.provide(Cluster.layerConnection(connection)))
  const patiently = (what: Deferred.Deferred<void>) => Deferred.await(what).pipe(Effect.timeout(PATIENCE_MS))
  return { running: patiently(running), gone: patiently(gone), breaks: () => breaks }
})

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
  const since = (from: number) => Effect.map(now, (at) => (at - from) / 1000)
  const up = yield* startRollcall("up", "--config", file, "--port", String(port), "--data-dir", folder)
  yield* up.says(/Ready after/, PATIENCE_MS)
  const readySeconds = yield* since(started)
  yield* Console.log(`${nodes} nodes Ready, from exec on: ${readySeconds.toFixed(1)} s (KWOK's gate: 60 s for 5,000)`)

  const connection = yield* connectionTo(yield* configOf(`${folder}/admin.conf`), { maxSockets: CONNECTIONS })
  const follower = yield* followPods(connection, pods)
  const names = Array.from({ length: pods }, (_, index) => `pod-${index}`)
  const place = { kind: "Pod", namespace: NAMESPACE } as const
  const creating = yield* now
  yield* forAll(names, connection, (name) => ({ ...place, verb: "create", object: podNamed(name) }))
  const created = yield* since(creating)
  yield* follower.running
  const runningSeconds = yield* since(creating)
  yield* Console.log(
    `${pods} pods Running on one node: ${runningSeconds.toFixed(1)} s, of which creating them ${created.toFixed(1)} s (60 s for 10,000)`
  )
  const deleting = yield* now
  yield* forAll(names, connection, (name) => ({ ...place, verb: "delete", name, options: { gracePeriodSeconds: 1 } }))
  const asked = yield* since(deleting)
  yield* follower.gone
  const deletedSeconds = yield* since(deleting)
  yield* Console.log(
    `${pods} pods deleted: ${deletedSeconds.toFixed(1)} s, of which asking for it ${asked.toFixed(1)} s (90 s for 10,000)`
  )
  yield* Console.log(`the watch that followed them broke ${follower.breaks()} times`)
  const memoryMiB = residentMiB(up.pid)
  yield* Console.log(`resident memory of the whole cluster: ${memoryMiB.toFixed(0)} MiB`)
  return { readySeconds, runningSeconds, deletedSeconds, memoryMiB } satisfies GateFigures
}, Effect.scoped)
