import type { KindName, KubeObject } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isForbidden, isNotFound } from "@rollcall/cluster"
import type { KnowledgeGap } from "@rollcall/text"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { assumedVolumes } from "../../input/snapshotVolumes.ts"
import { gapsOf } from "../gaps.ts"
import { outsideOwnersOf } from "../outsideOwners.ts"
import { type ClusterObjects, clusterObjects, type ListedObject, plannedKinds } from "./ClusterObjects.ts"

/** The kinds without which a plan is impossible. */
const requiredKinds: ReadonlySet<KindName> = new Set(["Node", "Pod"])

/** The objects of one kind, or why they could not be read. */
interface ReadKind {
  readonly objects: ReadonlyArray<ListedObject>
  readonly gap?: KnowledgeGap
}

const readKind = (cluster: ClusterShape, kind: KindName) =>
  cluster.list(kind).pipe(
    Effect.map(({ items }): ReadKind => ({ objects: items.map((object: KubeObject) => ({ kind, object })) })),
    Effect.catchIf(
      (error: ClusterError) => !requiredKinds.has(kind) && (isForbidden(error) || isNotFound(error)),
      ({ message }) =>
        Effect.succeed<ReadKind>({ objects: [], gap: { kind, message: `planned without any ${kind}: ${message}` } })
    )
  )

/** Lists the objects that a drain plan needs from a live cluster, and sends no other requests. Fails if Nodes or Pods are not readable. */
export const objectsOfCluster = Effect.fnUntraced(function* (
  cluster: ClusterShape
): Effect.fn.Return<ClusterObjects, ClusterError> {
  const read = yield* Effect.forEach(plannedKinds, (kind) => readKind(cluster, kind))
  const objects = read.flatMap(({ objects }) => objects)
  const unread = read.flatMap(({ gap }) => gap ?? [])
  const completeKinds = new Set<KindName>(plannedKinds.filter((kind) => !unread.some((gap) => gap.kind === kind)))
  const completed = [...objects, ...assumedVolumes(objects).objects]
  const nowMs = yield* Clock.currentTimeMillis
  const found = gapsOf(
    { objects, changed: [] },
    { whole: completeKinds, fewer: new Map(), takenMs: nowMs },
    "plan drain"
  )
  return clusterObjects(nowMs, completed, {
    outside: outsideOwnersOf(objects, completeKinds),
    gaps: [...unread, ...found.filter(({ kind }) => !unread.some((gap) => gap.kind === kind))]
  })
})
