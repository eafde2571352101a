import {
  formatTime,
  keyOf,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionTarget,
  updatePodCondition
} from "@rollcall/api"
import {
  Cluster,
  EventRecorder,
  forkController,
  Informer,
  isNotFound,
  runWorkers,
  splitKey,
  WorkQueue
} from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Disruptions } from "./Disruptions.ts"
import { Scales } from "./scales.ts"
import { staleAt } from "./staleCondition.ts"

/** Keeps the status of all PodDisruptionBudgets as long as the layer stands, through the Cluster at hand. */
export const layerDisruptions: Layer.Layer<never, never, Cluster | Timers> = Layer.effectDiscard(
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const timers = yield* Timers
    const recorder = yield* EventRecorder.make({ component: "controllermanager" })
    const queue = yield* WorkQueue.named<string>("disruption")
    const enqueue = (budget: PodDisruptionBudget) => queue.add(keyOf(budget))
    const budgets = yield* Informer.make("PodDisruptionBudget", {
      handlers: [{ onAdd: enqueue, onUpdate: (_, budget) => enqueue(budget) }]
    })
    const pods = yield* Informer.make("Pod", { indexes: { namespace: ({ metadata }) => metadata.namespace } })
    const replicaSets = yield* Informer.make("ReplicaSet")
    const deployments = yield* Informer.make("Deployment")
    const statefulSets = yield* Informer.make("StatefulSet")
    const scales = new Scales({ cluster, replicaSets, deployments, statefulSets })
    const controller = new Disruptions({ cluster, timers, recorder, budgets, pods, scales, queue })
    const stale = yield* WorkQueue.named<string>("stale_pod_disruption")
    const watchForStale = (pod: Pod) => {
      const at = staleAt(pod)
      if (at !== undefined) stale.addAfter(keyOf(pod), at - timers.now())
    }
    pods.addHandler({
      onAdd: (pod) => {
        controller.enqueueFor(pod)
        watchForStale(pod)
      },
      onUpdate: (before, pod) => {
        controller.enqueueFor(pod)
        if (before.metadata.labels !== pod.metadata.labels) controller.enqueueFor(before)
        watchForStale(pod)
      },
      onDelete: (pod) => controller.enqueueFor(pod)
    })
    /** Upstream: syncStalePodDisruption. */
    const recant = Effect.fnUntraced(function* (key: string) {
      const { name, namespace } = splitKey(key)
      const pod = pods.find(name, namespace)
      const at = pod === undefined ? undefined : staleAt(pod)
      if (pod === undefined || at === undefined) return
      if (at > timers.now()) return stale.addAfter(key, at - timers.now())
      const said = { type: podDisruptionTarget, status: "False" } as const
      const status = updatePodCondition(pod.status ?? {}, said, formatTime(timers.now()))
      yield* cluster.updateStatus("Pod", { ...pod, status }).pipe(Effect.catchIf(isNotFound, () => Effect.void))
    })
    yield* Effect.all([budgets.synced, pods.synced, replicaSets.synced, deployments.synced, statefulSets.synced], {
      concurrency: "unbounded",
      discard: true
    }).pipe(
      Effect.andThen(
        Effect.all([runWorkers(queue, 1, (key) => controller.sync(key)), runWorkers(stale, 1, recant)], {
          concurrency: "unbounded",
          discard: true
        })
      ),
      forkController("disruption-controller")
    )
  })
)
