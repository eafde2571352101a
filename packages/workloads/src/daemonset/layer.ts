import { CurrentRelease, keyOf, type Node } from "@rollcall/api"
import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { orphanIn } from "../claims.ts"
import { History, revisionIndexes } from "../history/History.ts"
import { DaemonSets, daemonOwner } from "./DaemonSets.ts"

/**
 * Whether labels or taints may have changed. They are compared by identity, which is fast: equal copies only cost a
 * needless check.
 */
const mayChangeEligibility = (before: Node, node: Node): boolean =>
  before.metadata.labels !== node.metadata.labels || before.spec?.taints !== node.spec?.taints

/** Runs the pods of all DaemonSets while the layer lives, through the Cluster in context. */
export const layerDaemonSets = Controller.make({
  name: "daemonset-controller",
  queue: "daemonset",
  records: true,
  for: "DaemonSet",
  watches: {
    Node: { concerns: (_, { cache, isDeleted }) => (isDeleted ? cache("DaemonSet").list().map(keyOf) : []) },
    Pod: { indexes: { owner: daemonOwner, orphans: orphanIn } },
    ControllerRevision: { indexes: revisionIndexes }
  },
  workers: 2,
  reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue, recorder, timers }) {
    const nodes = cache("Node")
    const pods = cache("Pod")
    const controller = new DaemonSets({
      cluster,
      timers,
      recorder,
      history: new History(cluster, cache("ControllerRevision")),
      daemonSets: cache("DaemonSet"),
      nodes,
      pods,
      queue,
      placement: (yield* CurrentRelease).daemonSetPods
    })
    nodes.addHandler({
      onAdd: (node) => controller.nodeChanged(undefined, node),
      onUpdate: (before, node) => mayChangeEligibility(before, node) && controller.nodeChanged(before, node)
    })
    pods.addHandler({
      onAdd: (pod) => controller.podAdded(pod),
      onUpdate: (before, pod) => controller.podChanged(before, pod),
      onDelete: (pod) => controller.podDeleted(pod)
    })
    return (key: string) => controller.sync(key)
  })
})
