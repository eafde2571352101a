import {
  CurrentRelease,
  type DaemonSet,
  type Deployment,
  getControllerOf,
  keyOf,
  matchesLabelSelector,
  type Node,
  type ReplicaSet
} from "@rollcall/api"
import {
  Cluster,
  CurrentQueueMeter,
  EventRecorder,
  forkController,
  Informer,
  runWorkers,
  WorkQueue
} from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { orphanIn } from "./claims.ts"
import { DaemonSets, daemonOwner } from "./daemonset/DaemonSets.ts"
import { Deployments, ownerIndex } from "./deployment/Deployments.ts"
import { History, revisionIndexes } from "./history/History.ts"
import { defaultReplicaSetConfig, type ReplicaSetConfig, ReplicaSets } from "./replicaset/ReplicaSets.ts"

/**
 * Keeps the replicas of all ReplicaSets as long as the layer stands. Its client limits (20 requests a second, burst 30) are
 * those of the Cluster at hand; its events go through it as well.
 */
export const layerReplicaSets = (config: Partial<ReplicaSetConfig> = {}): Layer.Layer<never, never, Cluster | Timers> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { connection } = yield* Cluster
      const timers = yield* Timers
      const recorder = yield* EventRecorder.make({ component: "replicaset-controller" })
      const controller = new ReplicaSets({
        connection,
        timers,
        meter: yield* CurrentQueueMeter,
        recorder,
        config: { ...defaultReplicaSetConfig, ...config }
      })
      const sets = yield* Informer.make("ReplicaSet", { handlers: [controller.replicaSetHandler] })
      const pods = yield* Informer.make("Pod", { handlers: [controller.podHandler] })
      yield* Effect.all([sets.synced, pods.synced], { concurrency: "unbounded", discard: true }).pipe(
        Effect.andThen(Effect.sync(() => controller.start())),
        forkController("replicaset-controller")
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => controller.stop()))
    })
  )

export interface DeploymentConfig {
  /** `--concurrent-deployment-syncs` */
  readonly concurrentSyncs: number
}

export const defaultDeploymentConfig: DeploymentConfig = { concurrentSyncs: 5 }

/** Keeps the ReplicaSets of all Deployments as long as the layer stands, through the Cluster at hand. */
export const layerDeployments = (config: Partial<DeploymentConfig> = {}): Layer.Layer<never, never, Cluster | Timers> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const cluster = yield* Cluster
      const timers = yield* Timers
      const recorder = yield* EventRecorder.make({ component: "deployment-controller" })
      const queue = yield* WorkQueue.named<string>("deployment")
      const enqueue = (deployment: Deployment) => queue.add(keyOf(deployment))
      const enqueueOwner = (replicaSet: ReplicaSet) => {
        const owner = getControllerOf(replicaSet)
        if (owner?.kind === "Deployment") queue.add(`${replicaSet.metadata.namespace}/${owner.name}`)
        else if (owner === undefined && replicaSet.metadata.deletionTimestamp === undefined) offer(replicaSet)
      }
      /** A set that nobody controls is for the deployments that select it. */
      const offer = ({ metadata }: ReplicaSet) => {
        for (const deployment of deployments.list()) {
          const isNear = deployment.metadata.namespace === metadata.namespace
          if (isNear && matchesLabelSelector(deployment.spec.selector, metadata.labels)) enqueue(deployment)
        }
      }
      const deployments = yield* Informer.make("Deployment", {
        handlers: [{ onAdd: enqueue, onUpdate: (_, deployment) => enqueue(deployment), onDelete: enqueue }]
      })
      const replicaSets = yield* Informer.make("ReplicaSet", {
        indexes: { owner: ownerIndex, orphans: orphanIn },
        handlers: [
          {
            onAdd: enqueueOwner,
            onUpdate: (before, replicaSet) => {
              if (getControllerOf(before)?.uid !== getControllerOf(replicaSet)?.uid) enqueueOwner(before)
              enqueueOwner(replicaSet)
            },
            onDelete: enqueueOwner
          }
        ]
      })
      const controller = new Deployments({ cluster, timers, recorder, deployments, replicaSets, queue })
      const { concurrentSyncs } = { ...defaultDeploymentConfig, ...config }
      yield* Effect.all([deployments.synced, replicaSets.synced], { concurrency: "unbounded", discard: true }).pipe(
        Effect.andThen(runWorkers(queue, concurrentSyncs, (key) => controller.sync(key))),
        forkController("deployment-controller")
      )
    })
  )

/** Keeps the pods of all DaemonSets as long as the layer stands, through the Cluster at hand. */
export const layerDaemonSets: Layer.Layer<never, never, Cluster | Timers> = Layer.effectDiscard(
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const timers = yield* Timers
    const recorder = yield* EventRecorder.make({ component: "daemonset-controller" })
    const queue = yield* WorkQueue.named<string>("daemonset")
    const enqueue = (set: DaemonSet) => queue.add(keyOf(set))
    const daemonSets = yield* Informer.make("DaemonSet", {
      handlers: [{ onAdd: enqueue, onUpdate: (_, set) => enqueue(set), onDelete: enqueue }]
    })
    const isElsewhere = (before: Node, node: Node): boolean =>
      before.metadata.labels !== node.metadata.labels || before.spec?.taints !== node.spec?.taints
    const nodes = yield* Informer.make("Node")
    const pods = yield* Informer.make("Pod", { indexes: { owner: daemonOwner, orphans: orphanIn } })
    const revisions = yield* Informer.make("ControllerRevision", { indexes: revisionIndexes })
    const history = new History(cluster, revisions)
    const controller = new DaemonSets({
      cluster,
      timers,
      recorder,
      history,
      daemonSets,
      nodes,
      pods,
      queue,
      placement: (yield* CurrentRelease).daemonSetPods
    })
    nodes.addHandler({
      onAdd: (node) => controller.nodeChanged(undefined, node),
      onUpdate: (before, node) => isElsewhere(before, node) && controller.nodeChanged(before, node),
      onDelete: () => {
        for (const set of daemonSets.list()) enqueue(set)
      }
    })
    pods.addHandler({
      onAdd: (pod) => controller.podAdded(pod),
      onUpdate: (before, pod) => controller.podChanged(before, pod),
      onDelete: (pod) => controller.podGone(pod)
    })
    yield* Effect.all([daemonSets.synced, nodes.synced, pods.synced, revisions.synced], {
      concurrency: "unbounded",
      discard: true
    }).pipe(Effect.andThen(runWorkers(queue, 2, (key) => controller.sync(key))), forkController("daemonset-controller"))
  })
)
