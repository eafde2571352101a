import type { KindName, KubeObject } from "@rollcall/api"
import { type ClusterError, type ClusterShape, fromConnection, isForbidden, isNotFound } from "@rollcall/cluster"
import { layerWallClock } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { clusterConnection } from "../../live.ts"
import { clusterObjects, plannedKinds } from "./drainObjects.ts"

const needed: ReadonlySet<KindName> = new Set(["Node", "Pod"])

const listed = (cluster: ClusterShape, kind: KindName) =>
  cluster.list(kind).pipe(
    Effect.map(({ items }) => items.map((object: KubeObject) => ({ kind, object }))),
    Effect.catchIf(
      (error: ClusterError) => !needed.has(kind) && (isForbidden(error) || isNotFound(error)),
      (error) => Effect.as(Console.error(`rollcall: warning: planned without any ${kind}: ${error.message}`), [])
    )
  )

/** All that a plan looks at, from a live cluster. Lists, and that is all; nodes and pods have to be readable. */
export const objectsOfCluster = Effect.fnUntraced(
  function* (kubeconfig: string) {
    const cluster = fromConnection(yield* clusterConnection(kubeconfig, "rollcall-plan/v1"))
    const objects = yield* Effect.forEach(plannedKinds, (kind) => listed(cluster, kind))
    return clusterObjects(yield* Clock.currentTimeMillis, objects.flat())
  },
  Effect.scoped,
  Effect.provide(layerWallClock())
)
