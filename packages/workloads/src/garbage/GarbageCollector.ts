import { type KindName, kindNames, type OwnerReference } from "@rollcall/api"
import {
  type AnyKind,
  Cluster,
  componentLog,
  EventRecorder,
  type Feed,
  forkController,
  Informers,
  Reflector,
  runWorkers,
  WorkQueue,
  watchFailureLog
} from "@rollcall/cluster"
import { nextRng, type Rng, Timers, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AbsentOwners } from "./AbsentOwners.ts"
import { makeCollector } from "./Collector.ts"
import { kindOf, versionOf } from "./customKinds.ts"
import { followDefinitions } from "./followDefinitions.ts"
import { type Item, OwnerGraph } from "./OwnerGraph.ts"

export interface GarbageCollectorOptions {
  /**
   * Kinds whose objects are followed as owners and dependents; all but Event by default, as upstream. Each costs a
   * watch of all its objects: a rehearsal that renews leases by the million and deletes no node can leave out Lease.
   */
  readonly kinds?: ReadonlyArray<KindName>
  /** `--concurrent-gc-syncs`, 20 by default: for each of the two queues. */
  readonly workers?: number
}

/**
 * Kinds that controllers create as dependents: always followed. Their watches use the random number generator of the
 * last of the other kinds.
 */
const dependentKinds: ReadonlyArray<KindName> = [
  "Service",
  "EndpointSlice",
  "PersistentVolumeClaim",
  "ControllerRevision"
]

const COMPONENT = "garbage-collector-controller"

export interface GarbageCollectorShape {
  /** Waits until every kind has been listed; nothing is collected before. */
  readonly synced: Effect.Effect<void>
  /** Number of objects in the graph. */
  readonly objects: () => number
  /** Number of queued items, including those that wait for a retry. */
  readonly pending: () => number
}

/**
 * Deletes objects that have lost all their owners, keeps terminating owners until their blocking dependents are
 * deleted, and orphans the dependents of owners that are deleted with Orphan: ownerReferences as in
 * kube-controller-manager, on any cluster.
 *
 * Upstream: pkg/controller/garbagecollector.
 */
export class GarbageCollector extends Context.Service<GarbageCollector, GarbageCollectorShape>()(
  "@rollcall/workloads/GarbageCollector"
) {
  /** Runs while its scope is open, through the given Cluster, which should be a client of its own. */
  static readonly layer = (
    options: GarbageCollectorOptions = {}
  ): Layer.Layer<GarbageCollector, never, Cluster | Timers> => Layer.effect(GarbageCollector, make(options))
}

/** An owner as upstream prints it in Events. */
const ownerText = ({ namespace }: Item, { apiVersion, kind, name, uid }: OwnerReference): string =>
  `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`

/**
 * Tracks the first list of each kind: `listed` must be called with each kind that was listed. `onAllListed` is called
 * at the last, and then `synced` ends.
 */
const trackFirstLists = (kinds: ReadonlyArray<KindName>, timers: TimersShape, onAllListed: () => void) => {
  const unlisted = new Set(kinds)
  const resumers: Array<() => void> = []
  return {
    listed: (kind: KindName) => {
      if (!unlisted.delete(kind) || unlisted.size > 0) return
      onAllListed()
      for (const resume of resumers.splice(0)) resume()
    },
    synced: Effect.callback<void>((resume) => {
      if (unlisted.size === 0) resume(Effect.void)
      else resumers.push(() => timers.soon(() => resume(Effect.void)))
    })
  }
}

const make = Effect.fnUntraced(function* ({
  kinds = kindNames.filter((kind) => kind !== "Event"),
  workers = 20
}: GarbageCollectorOptions) {
  const cluster = yield* Cluster
  const timers = yield* Timers
  const followed = [...kinds, ...dependentKinds.filter((kind) => !kinds.includes(kind))]
  const recorder = yield* EventRecorder.make({ component: COMPONENT })
  const log = yield* componentLog
  const deletions = yield* WorkQueue.named<string>("garbage_collector_attempt_to_delete")
  const orphanings = yield* WorkQueue.named<string>("garbage_collector_attempt_to_orphan")
  const check = (uid: string) => deletions.add(uid)
  const absentOwners = new AbsentOwners()
  const graph = new OwnerGraph({
    check,
    ownerDeleted: (owner) => absentOwners.add(owner),
    orphan: (uid) => orphanings.add(uid),
    foreignOwner: (item, reference) => {
      const { kind, name, namespace, uid } = item
      const regarding = { apiVersion: versionOf(kind), kind: kindOf(kind), name, namespace, uid }
      const message = `ownerRef ${ownerText(item, reference)} does not exist in namespace ${JSON.stringify(namespace)}`
      recorder.event(regarding, "Warning", "OwnerRefInvalidNamespace", message)
    },
    failed: (kind, { metadata: { name, namespace } }, error) =>
      timers.handleError("owner graph", error, { kind: kindOf(kind), namespace, name })
  })

  const { listed, synced } = trackFirstLists(followed, timers, () => graph.allListed())
  const feedOf = (kind: AnyKind, onReplace: () => void, definitions?: Feed): Feed => ({
    // It keeps nothing of a status.
    acceptsHeartbeats: () => true,
    replace: (objects) => {
      graph.replace(kind, objects)
      definitions?.replace(objects)
      onReplace()
    },
    apply: (event) => {
      if (event.type === "DELETED") graph.forgetObject(kind, event.object)
      else if (event.type === "ADDED" || event.type === "MODIFIED") graph.observe(kind, event.object)
      definitions?.apply(event)
    }
  })

  // Used only if `kinds` is empty: otherwise the loop below draws a generator for each of them.
  let random: Rng = () => 0
  let customRandom = random
  // No other component follows custom kinds, and they are added and removed with their definitions.
  const { custom, definitions, stop } = followDefinitions(timers, graph, (kind) => {
    const target = { ...feedOf(kind, () => undefined), failed: watchFailureLog(log, kind) }
    return new Reflector(cluster.connection, timers, kind, {}, target, customRandom)
  })
  yield* Effect.addFinalizer(() => Effect.sync(stop))
  const { follow } = yield* Informers
  for (const [index, kind] of followed.entries()) {
    if (index < kinds.length) random = yield* nextRng
    const isDefinitionKind = kind === "CustomResourceDefinition"
    if (isDefinitionKind) customRandom = random
    const feed = feedOf(kind, () => listed(kind), isDefinitionKind ? definitions : undefined)
    yield* follow(kind, feed, random)
  }

  const { attemptToDelete, attemptToOrphan } = makeCollector({ absentOwners, cluster, graph, custom, check })
  yield* synced.pipe(
    Effect.andThen(
      Effect.all([runWorkers(deletions, workers, attemptToDelete), runWorkers(orphanings, workers, attemptToOrphan)], {
        concurrency: "unbounded",
        discard: true
      })
    ),
    forkController(COMPONENT)
  )
  return {
    synced,
    objects: () => graph.size,
    pending: () => deletions.size + deletions.delayedSize + orphanings.size + orphanings.delayedSize
  }
})
