import type { KindName, KubeObject } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isForbidden, isNotFound } from "@rollcall/cluster"
import type { KnowledgeGap } from "@rollcall/text"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { unshownVolumes } from "../../input/snapshotVolumes.ts"
import { outsideOwnersOf } from "../outsideOwners.ts"
import { type ClusterObjects, clusterObjects, type Found, plannedKinds } from "./ClusterObjects.ts"

const needed: ReadonlySet<KindName> = new Set(["Node", "Pod"])

interface Read {
  readonly objects: ReadonlyArray<Found>
  readonly gap?: KnowledgeGap
}

const listed = (cluster: ClusterShape, kind: KindName) =>
  cluster.list(kind).pipe(
    Effect.map(({ items }): Read => ({ objects: items.map((object: KubeObject) => ({ kind, object })) })),
    Effect.catchIf(
      (error: ClusterError) => !needed.has(kind) && (isForbidden(error) || isNotFound(error)),
      ({ message }) =>
        Effect.succeed<Read>({ objects: [], gap: { kind, message: `planned without any ${kind}: ${message}` } })
    )
  )

/** Lists the objects that a plan needs from a live cluster. Sends lists only. Fails if Nodes or Pods are not readable. */
export const objectsOfCluster = Effect.fnUntraced(function* (
  cluster: ClusterShape
): Effect.fn.Return<ClusterObjects, ClusterError> {
  const read = yield* Effect.forEach(plannedKinds, (kind) => listed(cluster, kind))
  const objects = read.flatMap((one) => one.objects)
  const unread = read.flatMap(({ gap }) => gap ?? [])
  const whole = new Set(plannedKinds.filter((kind) => !unread.some((gap) => gap.kind === kind)))
  const completed = [...objects, ...unshownVolumes(objects).objects]
  return clusterObjects(yield* Clock.currentTimeMillis, completed, {
    outside: outsideOwnersOf(objects, whole),
    gaps: unread
  })
})
