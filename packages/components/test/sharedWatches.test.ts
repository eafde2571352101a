import { assert, describe, it } from "@effect/vitest"
import { type KindName, releases } from "@rollcall/api"
import { ApiServer } from "@rollcall/api-server"
import {
  Cluster,
  type Connection,
  CurrentSharedWrites,
  fromConnection,
  layerSharedWrites,
  type PatchRequest
} from "@rollcall/cluster"
import { controllerManagerLayer } from "@rollcall/control-plane"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { limitedClients } from "../src/clients/limited.ts"
import { liveControllers } from "../src/programs/controllerManager.ts"

const START = Date.UTC(2026, 0, 1)
const settings = { release: releases["1.36"], settings: { controllerManager: {}, scheduler: {}, placing: {} } }
const namespace = "default"
const labels = { app: "web" }
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } }
const selector = { matchLabels: labels }

/** One object of each kind that wakes an idle controller. */
const objects: ReadonlyArray<readonly [KindName, object]> = [
  ["DaemonSet", { apiVersion: "apps/v1", spec: { selector, template } }],
  ["StatefulSet", { apiVersion: "apps/v1", spec: { selector, template, serviceName: "web" } }],
  ["Deployment", { apiVersion: "apps/v1", spec: { selector, template, replicas: 2 } }],
  [
    "Job",
    {
      apiVersion: "batch/v1",
      spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } }, ttlSecondsAfterFinished: 9 }
    }
  ],
  ["PodDisruptionBudget", { apiVersion: "policy/v1", spec: { selector, minAvailable: 1 } }],
  ["Service", { apiVersion: "v1", spec: { selector: labels, ports: [{ port: 80 }] } }],
  [
    "PersistentVolumeClaim",
    { apiVersion: "v1", spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }
  ],
  [
    "PersistentVolume",
    {
      apiVersion: "v1",
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "2Gi" },
        hostPath: { path: "/v" },
        persistentVolumeReclaimPolicy: "Retain"
      }
    }
  ]
]

/** Returns the number of open watches by kind and selector when every controller is active. */
const openWatches = (manager: (clients: ReturnType<typeof limitedClients>) => Layer.Layer<never, never, Timers>) => {
  const time = makeVirtualTime(START)
  const open = new Map<string, number>()
  const counting = (connection: Connection): Connection => ({
    send: connection.send,
    watch: (request, sink) => {
      const { fieldSelector = "", kind, namespace: space = "" } = request
      const name = [kind, space, fieldSelector].join(" ").trim()
      const count = (change: number) => open.set(name, (open.get(name) ?? 0) + change)
      count(1)
      let isOver = false
      const end = () => {
        if (!isOver) count(-1)
        isOver = true
      }
      const cancel = connection.watch(request, {
        events: sink.events,
        end: (error) => {
          end()
          sink.end(error)
        }
      })
      return () => {
        end()
        cancel()
      }
    }
  })
  const program = Effect.gen(function* () {
    const server = yield* ApiServer
    const connection = server.connect({ user: "admin", groups: ["system:masters"], userAgent: "test" })
    const clients = limitedClients(yield* Timers, () => counting(connection))
    yield* Layer.build(manager(clients))
    const cluster = fromConnection(connection)
    for (const [kind, body] of objects) {
      const space = kind === "PersistentVolume" ? {} : { namespace }
      yield* cluster.create(kind, { ...body, kind, metadata: { name: "web", ...space } } as never)
    }
    yield* Effect.sleep("60 seconds")
    assert.isNotEmpty((yield* cluster.list("Pod")).items)
    assert.isNotEmpty((yield* cluster.list("EndpointSlice")).items)
    return new Map([...open].filter(([, count]) => count > 0))
  })
  const exit = time.run(
    program.pipe(Effect.scoped, Effect.provide(ApiServer.layer().pipe(Layer.provide(layerMemory()))))
  )
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return exit.value
}

const severalWatches = (open: ReadonlyMap<string, number>) =>
  Object.fromEntries([...open].filter(([, count]) => count > 1))

describe("a controller manager with all controllers active", () => {
  it("has one watch of each kind in a rehearsal", () => {
    const collected: ReadonlyArray<KindName> = ["Pod", "ReplicaSet", "Deployment", "Job", "Node", "Service"]
    const open = openWatches((clients) => {
      const manager = controllerManagerLayer(settings, clients, { collected })
      return Layer.effectDiscard(Layer.build(manager))
    })
    assert.deepStrictEqual(severalWatches(open), {})
    assert.strictEqual(open.get("Pod"), 1)
  })

  it("has one watch of each kind live", () => {
    const open = openWatches((clients) => liveControllers(settings, clients, { rootCA: "PEM" }))
    assert.deepStrictEqual(severalWatches(open), {})
    assert.strictEqual(open.get("Pod"), 1)
    assert.strictEqual(open.get("Lease"), 1)
    assert.isFalse(open.has("Event"))
  })

  it("shares its writes: each client tells of them when they leave its rate limit", () => {
    const time = makeVirtualTime(START)
    const sent: Array<string> = []
    const connection: Connection = { watch: () => () => undefined, send: () => () => undefined }
    const clients = limitedClients(time.timers, () => connection)
    const write = Effect.map(Cluster, ({ connection: { send } }) => {
      for (const name of ["a", "b"])
        send({ verb: "patch", kind: "Node", name, patchType: "merge", body: {} }, () => undefined)
    })
    const program = Effect.gen(function* () {
      const writes = yield* CurrentSharedWrites
      writes?.follow("Node", (request) => {
        sent.push((request as PatchRequest).name)
        return () => undefined
      })
      yield* write.pipe(Effect.provide(clients.layer("limited", { qps: 1, burst: 1 })))
      yield* write.pipe(Effect.provide(clients.layer("unlimited", { qps: 0, burst: 0 })))
    })
    time.run(program.pipe(Effect.provide(layerSharedWrites)))
    assert.deepStrictEqual(sent, ["a", "a", "b"])
  })
})
