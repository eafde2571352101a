import { currentGates } from "@rollcall/api"
import { Controller, fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { orphanIn } from "../claims.ts"
import { consistencyStoreOf, forgetDeleted } from "../consistency/ConsistencyStore.ts"
import { staleSyncSkips } from "../consistency/metrics.ts"
import { recordingWrites } from "../consistency/recordingWrites.ts"
import { syncUnlessStale } from "../consistency/unlessStale.ts"
import { History, revisionIndexes } from "../history/History.ts"
import { StatefulSets, statefulOwner } from "./StatefulSets.ts"

/** `--concurrent-statefulset-syncs` */
const CONCURRENT_SYNCS = 5

const statefulSetSkips = staleSyncSkips("statefulset_controller", "StatefulSet")

/** Runs the pods of all StatefulSets while the layer lives, through the Cluster in context. */
export const layerStatefulSets = Controller.make({
  name: "statefulset-controller",
  queue: "statefulset",
  records: true,
  for: "StatefulSet",
  watches: {
    ControllerRevision: { indexes: revisionIndexes },
    Pod: { indexes: { owner: statefulOwner, orphans: orphanIn } },
    PersistentVolumeClaim: {}
  },
  workers: CONCURRENT_SYNCS,
  onError: (key: string, { message }: { readonly message: string }) =>
    Effect.logError("Error syncing StatefulSet, requeuing").pipe(Effect.annotateLogs({ err: message, key })),
  reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue, recorder, timers }) {
    const pods = cache("Pod")
    const gates = yield* currentGates
    const consistency = consistencyStoreOf(
      ["StatefulSet", "Pod", "PersistentVolumeClaim"],
      cache,
      gates.StaleControllerConsistencyStatefulSet
    )
    cache("StatefulSet").addHandler(forgetDeleted(consistency))
    const controller = new StatefulSets({
      cluster: fromConnection(recordingWrites(cluster.connection, "StatefulSet", consistency)),
      consistency,
      timers,
      recorder,
      history: new History(cluster, cache("ControllerRevision")),
      statefulSets: cache("StatefulSet"),
      pods,
      claims: cache("PersistentVolumeClaim"),
      supportsMaxUnavailable: gates.MaxUnavailableStatefulSet,
      queue
    })
    pods.addHandler({
      onAdd: (pod) => controller.enqueueSetOf(pod),
      onUpdate: (_, pod) => controller.enqueueSetOf(pod),
      onDelete: (pod) => controller.enqueueSetOf(pod)
    })
    const onSkip = statefulSetSkips(yield* Effect.context<never>())
    return syncUnlessStale(consistency, onSkip, (key) => controller.sync(key))
  })
})
