import {
  apiVersionOf,
  foregroundFinalizer,
  isKindName,
  type KubeObject,
  type OwnerReference,
  orphanFinalizer
} from "@rollcall/api"
import {
  type AnyKind,
  type ClusterError,
  type ClusterShape,
  defaultBackoff,
  isConflict,
  isNotFound,
  type ObjectKey,
  retryOnConflict
} from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { AbsentOwners } from "./AbsentOwners.ts"
import { asKindName, type CustomResources, isCustomKind } from "./customKinds.ts"
import {
  decideCollection,
  type Judged,
  type RemovalPolicy,
  removalOptions,
  type Standing,
  unblockMerge,
  unblockPatch,
  unlinkMerge,
  unlinkPatch
} from "./decideCollection.ts"
import { type Item, type OwnerGraph, sameOwners } from "./OwnerGraph.ts"

export interface CollectorOptions {
  readonly cluster: ClusterShape
  readonly graph: OwnerGraph
  readonly custom: CustomResources
  /** Queues another item. */
  readonly check: (uid: string) => void
}

const keyOf = ({ name, namespace }: Pick<Item, "name" | "namespace">): ObjectKey =>
  namespace === "" ? { name } : { name, namespace }

/** The garbage collector's operations on one item. They read the API, not the graph, before they write. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: attemptToDelete and attemptToOrphan with the requests that they share.
export const makeCollector = ({ check, cluster, custom, graph }: CollectorOptions) => {
  const absent = new AbsentOwners()

  /** The owner's kind; undefined when the API does not serve it, so that the owner's existence is unknown. */
  const servedKind = ({ apiVersion, kind }: OwnerReference): AnyKind | undefined =>
    isKindName(kind) && apiVersionOf(kind) === apiVersion ? kind : custom.find(apiVersion, kind)?.kind

  /** The object's current version; undefined when it was deleted, even if another object has its name. */
  const current = (item: Pick<Item, "kind" | "name" | "namespace" | "uid">) =>
    cluster.get(asKindName(item.kind), keyOf(item)).pipe(
      Effect.map((object): KubeObject | undefined => (object.metadata.uid === item.uid ? object : undefined)),
      Effect.catchIf(isNotFound, () => Effect.succeed(undefined))
    )

  const standingOf = Effect.fnUntraced(function* (
    item: Item,
    reference: OwnerReference
  ): Effect.fn.Return<Standing, ClusterError> {
    const kind = servedKind(reference)
    if (kind === undefined) return "solid"
    const namespace = custom.isNamespaced(kind) ? item.namespace : ""
    const key = `${kind}/${namespace}/${reference.name}/${reference.uid}`
    if (absent.has(key)) return "dangling"
    const owner = yield* current({ kind, namespace, name: reference.name, uid: reference.uid })
    if (owner === undefined) {
      absent.add(key)
      return "dangling"
    }
    const { deletionTimestamp, finalizers = [] } = owner.metadata
    return deletionTimestamp !== undefined && finalizers.includes(foregroundFinalizer) ? "waiting" : "solid"
  })

  /**
   * Deletes the version that was seen; if it has changed meanwhile but its owners have not, deletes the current
   * version.
   */
  const remove = Effect.fnUntraced(function* (item: Item, seen: KubeObject, policy: RemovalPolicy) {
    const { ownerReferences } = seen.metadata
    const { asIs, asSeen } = removalOptions(item.uid, seen, policy)
    const first = yield* Effect.result(cluster.delete(asKindName(item.kind), keyOf(item), asSeen))
    if (Result.isSuccess(first) || isNotFound(first.failure)) return
    if (!isConflict(first.failure)) return yield* Effect.fail(first.failure)
    const now = yield* current(item)
    if (now === undefined) return
    if (!sameOwners(now.metadata.ownerReferences, ownerReferences)) return yield* Effect.fail(first.failure)
    yield* cluster.delete(asKindName(item.kind), keyOf(item), asIs).pipe(Effect.catchIf(isNotFound, () => Effect.void))
  })

  const removeFinalizer = (item: Item, finalizer: string) =>
    retryOnConflict(defaultBackoff, () =>
      Effect.flatMap(current(item), (object) => {
        const { finalizers = [], resourceVersion } = object?.metadata ?? {}
        if (!finalizers.includes(finalizer)) return Effect.void
        const rest = finalizers.filter((other) => other !== finalizer)
        return cluster.patch(asKindName(item.kind), keyOf(item), "merge", {
          metadata: { resourceVersion, finalizers: rest }
        })
      })
    ).pipe(
      Effect.catchIf(isNotFound, () => Effect.void),
      Effect.asVoid
    )

  const unlink = (
    item: Item,
    seen: KubeObject,
    uids: ReadonlyArray<string>
  ): Effect.Effect<KubeObject, ClusterError> =>
    isCustomKind(item.kind)
      ? cluster.patch(asKindName(item.kind), keyOf(item), "merge", unlinkMerge(seen, uids))
      : cluster.patch(asKindName(item.kind), keyOf(item), "strategic", unlinkPatch(item.uid, uids))

  const unblock = (item: Item, seen: KubeObject): Effect.Effect<KubeObject, ClusterError> =>
    isCustomKind(item.kind)
      ? cluster.patch(asKindName(item.kind), keyOf(item), "merge", unblockMerge(seen))
      : cluster.patch(asKindName(item.kind), keyOf(item), "strategic", unblockPatch(seen))

  /** Removes one owner reference without reading the object, unless its kind only supports whole updates. */
  const release = (item: Item, owner: string): Effect.Effect<void, ClusterError> => {
    if (!isCustomKind(item.kind)) {
      return Effect.asVoid(
        cluster.patch(asKindName(item.kind), keyOf(item), "strategic", unlinkPatch(item.uid, [owner]))
      )
    }
    return retryOnConflict(defaultBackoff, () =>
      Effect.flatMap(current(item), (seen) =>
        seen === undefined ? Effect.void : Effect.asVoid(unlink(item, seen, [owner]))
      )
    )
  }

  /** A waiting owner is finalized once nothing blocks it; until then its blocking dependents are queued. */
  const releaseWaiting = (item: Item): Effect.Effect<void, ClusterError> => {
    const blocking = graph.blockingDependentsOf(item.uid)
    if (blocking.length === 0) return removeFinalizer(item, foregroundFinalizer)
    return Effect.sync(() => {
      for (const dependent of blocking) if (dependent.phase !== "waiting") check(dependent.uid)
    })
  }

  /** Whether a cluster-scoped object has a namespaced owner: such a reference cannot be resolved. */
  const isMisplaced = (item: Item, reference: OwnerReference): boolean => {
    const kind = servedKind(reference)
    return item.namespace === "" && kind !== undefined && custom.isNamespaced(kind)
  }

  /** Processes one item as its owners, or its own deletion, require. */
  const attemptToDelete = Effect.fnUntraced(function* (uid: string): Effect.fn.Return<void, ClusterError> {
    const item = graph.get(uid)
    if (item === undefined || item.phase === "deleting" || item.phase === "orphaning") return
    const latest = yield* current(item)
    if (latest === undefined) return graph.forget(uid)
    if (item.phase === "waiting") return yield* releaseWaiting(item)
    const references = latest.metadata.ownerReferences ?? []
    if (references.some((reference) => isMisplaced(item, reference))) return
    const judged = yield* Effect.forEach(references, (reference) =>
      Effect.map(standingOf(item, reference), (standing): Judged => ({ reference, standing }))
    )
    const dependents = graph.dependentsOf(uid)
    const anyWaiting = dependents.some(({ phase }) => phase === "waiting")
    const collection = decideCollection(latest, judged, { any: dependents.length > 0, anyWaiting })
    if (collection._tag === "Keep") return
    if (collection._tag === "Unlink") {
      yield* unlink(item, latest, collection.uids)
      return
    }
    let seen = latest
    if (collection.unblock) seen = yield* unblock(item, latest)
    yield* remove(item, seen, collection.policy)
  })

  /** Orphans an item's dependents, then removes the item's finalizer. */
  const attemptToOrphan = Effect.fnUntraced(function* (uid: string): Effect.fn.Return<void, ClusterError> {
    const item = graph.get(uid)
    if (item === undefined) return
    yield* Effect.forEach(
      graph.dependentsOf(uid),
      (dependent) => release(dependent, uid).pipe(Effect.catchIf(isNotFound, () => Effect.void)),
      { concurrency: "unbounded", discard: true }
    )
    yield* removeFinalizer(item, orphanFinalizer)
  })

  return { attemptToDelete, attemptToOrphan }
}
