import type { InvalidInput } from "@rollcall/input"
import { layerMemory, type Operation, Store } from "@rollcall/store"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { loadScenarioText } from "../input/text.ts"
import { rehearse } from "../rehearse.ts"
import type { LoadPerNode } from "./scaleModel.ts"

/*
 * What a node and a pod write, counted in a rehearsal: each kubelet and controller does in it what it does in a cluster, so
 * that the counts follow the code.
 */

const NODES = 12
const PODS = 120
/** Heartbeats are counted between these minutes, when nothing else happens. */
const QUIET = { from: 10, until: 40 }
/** All pods are deleted at this minute. */
const DELETED_AT = 45
const END = 50
const MINUTE_MS = 60_000

const PREFIXES = {
  leases: "/registry/leases/kube-node-lease/",
  nodes: "/registry/minions/",
  pods: "/registry/pods/",
  events: "/registry/events/"
} as const
type Class = keyof typeof PREFIXES

const pod = {
  spec: {
    containers: [
      {
        name: "app",
        image: "registry.example.com/team/app:1.2.3",
        resources: { requests: { cpu: "100m", memory: "64Mi" } }
      }
    ]
  },
  metadata: { labels: { app: "app" } }
}

const scenario = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "load" },
  spec: {
    seed: 1,
    duration: `${END}m`,
    cluster: {
      nodes: [{ name: "node", count: NODES, zone: "zone-a", region: "region" }],
      objects: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          metadata: { name: "app", namespace: "default" },
          spec: { replicas: PODS, selector: { matchLabels: { app: "app" } }, template: pod }
        }
      ]
    },
    events: [{ at: `${DELETED_AT}m`, do: "scale", object: { kind: "ReplicaSet", name: "app" }, replicas: 0 }]
  }
}

interface Written {
  readonly of: Class
  readonly atMs: number
  readonly bytes: number
}

const classOf = (key: string): Class | undefined =>
  (Object.keys(PREFIXES) as Array<Class>).find((name) => key.startsWith(PREFIXES[name]))

/** A store in memory that calls `onWrite` with each operation, and when. It keeps no columns, so that all of them are seen. */
const layerCounting = (onWrite: (operation: Operation, atMs: number) => void) =>
  Layer.effect(
    Store,
    Effect.gen(function* () {
      const { quiet: _, ...inner } = Context.get(yield* Layer.build(layerMemory()), Store)
      const { now } = yield* Timers
      const startMs = now()
      return {
        ...inner,
        write: (...request: Parameters<typeof inner.write>) => {
          for (const operation of request[0]) onWrite(operation, now() - startMs)
          return inner.write(...request)
        }
      }
    })
  )

/** Rehearses a small cluster, and returns what a node and the life of a pod write. */
export const rehearsedLoad: Effect.Effect<LoadPerNode, InvalidInput> = Effect.gen(function* () {
  const written: Array<Written> = []
  const layers = layerCounting((operation, atMs) => {
    const of = classOf(operation.key)
    if (of === undefined) return
    written.push({ of, atMs, bytes: operation.type === "put" ? JSON.stringify(operation.value).length : 0 })
  })
  const [plan] = yield* loadScenarioText(JSON.stringify(scenario), { hasLayers: true })
  if (plan === undefined) return yield* Effect.die(new Error("the scenario of the load is empty"))
  yield* rehearse(plan, { layers, everyHeartbeat: true })
  const quietSeconds = ((QUIET.until - QUIET.from) * MINUTE_MS) / 1000
  const inQuiet = ({ atMs }: Written) => atMs >= QUIET.from * MINUTE_MS && atMs < QUIET.until * MINUTE_MS
  const count = (of: Class, during: (write: Written) => boolean = () => true) =>
    written.filter((write) => write.of === of && during(write)).length
  /** The size of an object of a class at the end of the quiet time. */
  const bytes = (of: Class) => {
    const sizes = written.filter((write) => write.of === of && write.bytes > 0 && write.atMs < QUIET.until * MINUTE_MS)
    const last = sizes.slice(-NODES)
    return Math.round(last.reduce((sum, write) => sum + write.bytes, 0) / Math.max(1, last.length))
  }
  return {
    renewalsPerSecond: count("leases", inQuiet) / quietSeconds / NODES,
    statusesPerSecond: count("nodes", inQuiet) / quietSeconds / NODES,
    podWrites: count("pods") / PODS,
    podEvents: count("events", ({ atMs }) => atMs < MINUTE_MS || atMs >= DELETED_AT * MINUTE_MS) / PODS,
    leaseBytes: bytes("leases"),
    nodeBytes: bytes("nodes"),
    podBytes: bytes("pods"),
    eventBytes: bytes("events")
  }
})
