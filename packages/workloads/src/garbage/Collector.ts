import { foregroundFinalizer, isKindName, type KubeObject, type OwnerReference, orphanFinalizer } from "@rollcall/api"
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
import type { AbsentOwners } from "./AbsentOwners.ts"
import { asKindName, type CustomResources, isCustomKind, isServed } from "./customKinds.ts"
import {
  decideCollection,
  type OwnerState,
  type OwnerWithState,
  type RemovalPolicy,
  removalOptions,
  unblockMerge,
  unblockPatch,
  unlinkMerge,
  unlinkPatch
} from "./decideCollection.ts"
import type { Item, OwnerGraph } from "./OwnerGraph.ts"
import { sameOwners } from "./sameOwners.ts"

/** What the operations need. `graph` and `custom` are kept up to date by the watches. */
export interface CollectorOptions {
  readonly cluster: ClusterShape
  readonly graph: OwnerGraph
  readonly custom: CustomResources
  readonly absentOwners: AbsentOwners
  /** Queues another item, by UID, for `attemptToDelete`. */
  readonly check: (uid: string) => void
}

const objectKeyOf = ({ name, namespace }: Pick<Item, "name" | "namespace">): ObjectKey =>
  namespace === "" ? { name } : { name, namespace }

/** The garbage collector's operations on one item. They read the API, not the graph, before they write. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: attemptToDelete and attemptToOrphan with the requests that they share.
export const makeCollector = ({ absentOwners, check, cluster, custom, graph }: CollectorOptions) => {
  /** The owner's kind; undefined when the API does not serve it, so that the owner's existence is unknown. */
  const servedKind = ({ apiVersion, kind }: OwnerReference): AnyKind | undefined =>
    isKindName(kind) && isServed(kind, apiVersion) ? kind : custom.find(apiVersion, kind)?.kind

  /** Reads the object's current version; undefined when it was deleted, even if another object has its name. */
  const current = (item: Pick<Item, "kind" | "name" | "namespace" | "uid">) =>
    cluster.get(asKindName(item.kind), objectKeyOf(item)).pipe(
      Effect.map((object): KubeObject | undefined => (object.metadata.uid === item.uid ? object : undefined)),
      Effect.catchIf(isNotFound, () => Effect.succeed(undefined))
    )

  /** Finds the state of an owner. One whose kind is not served counts as solid, since its existence is unknown. */
  const ownerStateOf = Effect.fnUntraced(function* (
    item: Item,
    reference: OwnerReference
  ): Effect.fn.Return<OwnerState, ClusterError> {
    const kind = servedKind(reference)
    if (kind === undefined) return "solid"
    const namespace = custom.isNamespaced(kind) ? item.namespace : ""
    const identity = { kind, namespace, name: reference.name, uid: reference.uid }
    if (absentOwners.has(identity)) return "dangling"
    const owner = yield* current(identity)
    if (owner === undefined) {
      absentOwners.add(identity)
      return "dangling"
    }
    const { deletionTimestamp, finalizers = [] } = owner.metadata
    return deletionTimestamp !== undefined && finalizers.includes(foregroundFinalizer) ? "waiting" : "solid"
  })

  /**
   * Deletes the version that was seen; if it has changed meanwhile but its owners have not, deletes the current
   * version.
   */
  const remove = Effect.fnUntraced(function* (item: Item, observed: KubeObject, policy: RemovalPolicy) {
    const { ownerReferences } = observed.metadata
    const { anyVersion, seenVersion } = removalOptions(item.uid, observed, policy)
    const deletion = yield* Effect.result(cluster.delete(asKindName(item.kind), objectKeyOf(item), seenVersion))
    if (Result.isSuccess(deletion) || isNotFound(deletion.failure)) return
    if (!isConflict(deletion.failure)) return yield* Effect.fail(deletion.failure)
    const latest = yield* current(item)
    if (latest === undefined) return
    if (!sameOwners(latest.metadata.ownerReferences, ownerReferences)) return yield* Effect.fail(deletion.failure)
    yield* cluster
      .delete(asKindName(item.kind), objectKeyOf(item), anyVersion)
      .pipe(Effect.catchIf(isNotFound, () => Effect.void))
  })

  /** Removes a finalizer from the current version of an object; does nothing if it has none or does not exist. */
  const removeFinalizer = (item: Item, finalizer: string) =>
    retryOnConflict(defaultBackoff, () =>
      Effect.flatMap(current(item), (object) => {
        const { finalizers = [], resourceVersion } = object?.metadata ?? {}
        if (!finalizers.includes(finalizer)) return Effect.void
        const otherFinalizers = finalizers.filter((other) => other !== finalizer)
        return cluster.patch(asKindName(item.kind), objectKeyOf(item), "merge", {
          metadata: { resourceVersion, finalizers: otherFinalizers }
        })
      })
    ).pipe(
      Effect.catchIf(isNotFound, () => Effect.void),
      Effect.asVoid
    )

  /** Removes the references to these owners from an object. */
  const unlink = (
    item: Item,
    observed: KubeObject,
    uids: ReadonlyArray<string>
  ): Effect.Effect<KubeObject, ClusterError> =>
    isCustomKind(item.kind)
      ? cluster.patch(asKindName(item.kind), objectKeyOf(item), "merge", unlinkMerge(observed, uids))
      : cluster.patch(asKindName(item.kind), objectKeyOf(item), "strategic", unlinkPatch(item.uid, uids))

  /** Makes the references of an object non-blocking. */
  const unblock = (item: Item, observed: KubeObject): Effect.Effect<KubeObject, ClusterError> =>
    isCustomKind(item.kind)
      ? cluster.patch(asKindName(item.kind), objectKeyOf(item), "merge", unblockMerge(observed))
      : cluster.patch(asKindName(item.kind), objectKeyOf(item), "strategic", unblockPatch(observed))

  /** Removes one owner reference without reading the object, unless its kind has no strategic merge patch. */
  const removeOwner = (item: Item, owner: string): Effect.Effect<void, ClusterError> => {
    if (!isCustomKind(item.kind)) {
      return Effect.asVoid(
        cluster.patch(asKindName(item.kind), objectKeyOf(item), "strategic", unlinkPatch(item.uid, [owner]))
      )
    }
    return retryOnConflict(defaultBackoff, () =>
      Effect.flatMap(current(item), (observed) =>
        observed === undefined ? Effect.void : Effect.asVoid(unlink(item, observed, [owner]))
      )
    )
  }

  /** Removes the finalizer of a waiting owner once nothing blocks it; until then queues its blocking dependents. */
  const processWaitingOwner = (item: Item): Effect.Effect<void, ClusterError> => {
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
    if (item.phase === "waiting") return yield* processWaitingOwner(item)
    const references = latest.metadata.ownerReferences ?? []
    if (references.some((reference) => isMisplaced(item, reference))) return
    const owners = yield* Effect.forEach(references, (reference) =>
      Effect.map(ownerStateOf(item, reference), (state): OwnerWithState => ({ reference, state }))
    )
    const dependents = graph.dependentsOf(uid)
    const anyWaiting = dependents.some(({ phase }) => phase === "waiting")
    const collection = decideCollection(latest, owners, { any: dependents.length > 0, anyWaiting })
    if (collection._tag === "Keep") return
    if (collection._tag === "Unlink") {
      yield* unlink(item, latest, collection.uids)
      return
    }
    let observed = latest
    if (collection.unblock) observed = yield* unblock(item, latest)
    yield* remove(item, observed, collection.policy)
  })

  /** Orphans an item's dependents, then removes the item's finalizer. */
  const attemptToOrphan = Effect.fnUntraced(function* (uid: string): Effect.fn.Return<void, ClusterError> {
    const item = graph.get(uid)
    if (item === undefined) return
    yield* Effect.forEach(
      graph.dependentsOf(uid),
      (dependent) => removeOwner(dependent, uid).pipe(Effect.catchIf(isNotFound, () => Effect.void)),
      { concurrency: "unbounded", discard: true }
    )
    yield* removeFinalizer(item, orphanFinalizer)
  })

  return { attemptToDelete, attemptToOrphan }
}
