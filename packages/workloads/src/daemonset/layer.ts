import { CurrentRelease, currentGates, type Node } from "@rollcall/api"
import { Controller, fromConnection, ignoresHeartbeats } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { orphanIn } from "../claims.ts"
import { consistencyStoreOf, forgetDeleted } from "../consistency/ConsistencyStore.ts"
import { staleSyncSkips } from "../consistency/metrics.ts"
import { recordingWrites } from "../consistency/recordingWrites.ts"
import { syncUnlessStale } from "../consistency/unlessStale.ts"
import { History, revisionIndexes } from "../history/History.ts"
import { logLine, unhandledError } from "../unhandledError.ts"
import { DaemonSets, daemonOwner } from "./DaemonSets.ts"

/**
 * Whether labels or taints may have changed. They are compared by identity, which is fast: equal copies only cost a
 * needless check.
 */
const mayChangeEligibility = (before: Node, node: Node): boolean =>
  before.metadata.labels !== node.metadata.labels || before.spec?.taints !== node.spec?.taints

const daemonSetSkips = staleSyncSkips("daemonset_controller", "DaemonSet")

/** Runs the pods of all DaemonSets while the layer lives, through the Cluster in context. */
export const layerDaemonSets = Controller.make({
  name: "daemonset-controller",
  queue: "daemonset",
  records: true,
  for: "DaemonSet",
  watches: {
    // A node that is deleted concerns a set only when its pods are.
    Node: { ignoresHeartbeats: true },
    Pod: { indexes: { owner: daemonOwner, orphans: orphanIn } },
    ControllerRevision: { indexes: revisionIndexes }
  },
  workers: 2,
  onError: (key: string, { message }: { readonly message: string }) =>
    logLine(unhandledError(`${key} failed with : ${message}`)),
  reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue, recorder, timers }) {
    const nodes = cache("Node")
    const pods = cache("Pod")
    const release = yield* CurrentRelease
    const isGuarded = (yield* currentGates).StaleControllerConsistencyDaemonSet
    const consistency = consistencyStoreOf(["DaemonSet", "Pod"], cache, isGuarded)
    cache("DaemonSet").addHandler(forgetDeleted(consistency))
    const controller = new DaemonSets({
      cluster: fromConnection(recordingWrites(cluster.connection, "DaemonSet", consistency)),
      timers,
      recorder,
      history: new History(cluster, cache("ControllerRevision")),
      daemonSets: cache("DaemonSet"),
      nodes,
      pods,
      queue,
      placement: release.daemonSetPods
    })
    nodes.addHandler({
      ...ignoresHeartbeats,
      onAdd: (node) => controller.nodeChanged(undefined, node),
      onUpdate: (before, node) => mayChangeEligibility(before, node) && controller.nodeChanged(before, node)
    })
    pods.addHandler({
      onAdd: (pod) => controller.podAdded(pod),
      onUpdate: (before, pod) => controller.podChanged(before, pod),
      onDelete: (pod) => controller.podDeleted(pod)
    })
    const onSkip = daemonSetSkips(yield* Effect.context<never>())
    return syncUnlessStale(consistency, onSkip, (key) => controller.sync(key))
  })
})
