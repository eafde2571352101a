import { CurrentRelease, featureGatesOf, keyOf, type StatefulSet } from "@rollcall/api"
import { Cluster, EventRecorder, forkController, Informer, runWorkers, WorkQueue } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { orphanIn } from "../claims.ts"
import { History, revisionIndexes } from "../history/History.ts"
import { StatefulSets, statefulOwner } from "./StatefulSets.ts"

/** `--concurrent-statefulset-syncs` */
const CONCURRENT_SYNCS = 5

/** Keeps the pods of all StatefulSets as long as the layer stands, through the Cluster at hand. */
export const layerStatefulSets: Layer.Layer<never, never, Cluster | Timers> = Layer.effectDiscard(
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const timers = yield* Timers
    const recorder = yield* EventRecorder.make({ component: "statefulset-controller" })
    const queue = yield* WorkQueue.named<string>("statefulset")
    const enqueue = (set: StatefulSet) => queue.add(keyOf(set))
    const statefulSets = yield* Informer.make("StatefulSet", {
      handlers: [{ onAdd: enqueue, onUpdate: (_, set) => enqueue(set), onDelete: enqueue }]
    })
    const revisions = yield* Informer.make("ControllerRevision", { indexes: revisionIndexes })
    const pods = yield* Informer.make("Pod", { indexes: { owner: statefulOwner, orphans: orphanIn } })
    const claims = yield* Informer.make("PersistentVolumeClaim")
    const controller = new StatefulSets({
      cluster,
      timers,
      recorder,
      history: new History(cluster, revisions),
      statefulSets,
      pods,
      claims,
      heedsMaxUnavailable: featureGatesOf(yield* CurrentRelease).MaxUnavailableStatefulSet,
      queue
    })
    pods.addHandler({
      onAdd: (pod) => controller.enqueueFor(pod),
      onUpdate: (_, pod) => controller.enqueueFor(pod),
      onDelete: (pod) => controller.enqueueFor(pod)
    })
    yield* Effect.all([statefulSets.synced, revisions.synced, pods.synced, claims.synced], {
      concurrency: "unbounded",
      discard: true
    }).pipe(
      Effect.andThen(runWorkers(queue, CONCURRENT_SYNCS, (key) => controller.sync(key))),
      forkController("statefulset-controller")
    )
  })
)
