import { CurrentRelease, featureGatesOf } from "@rollcall/api"
import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { orphanIn } from "../claims.ts"
import { History, revisionIndexes } from "../history/History.ts"
import { StatefulSets, statefulOwner } from "./StatefulSets.ts"

/** `--concurrent-statefulset-syncs` */
const CONCURRENT_SYNCS = 5

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
  reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue, recorder, timers }) {
    const pods = cache("Pod")
    const controller = new StatefulSets({
      cluster,
      timers,
      recorder,
      history: new History(cluster, cache("ControllerRevision")),
      statefulSets: cache("StatefulSet"),
      pods,
      claims: cache("PersistentVolumeClaim"),
      supportsMaxUnavailable: featureGatesOf(yield* CurrentRelease).MaxUnavailableStatefulSet,
      queue
    })
    pods.addHandler({
      onAdd: (pod) => controller.enqueueSetOf(pod),
      onUpdate: (_, pod) => controller.enqueueSetOf(pod),
      onDelete: (pod) => controller.enqueueSetOf(pod)
    })
    return (key: string) => controller.sync(key)
  })
})
