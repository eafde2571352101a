import { formatTime, type Pod, podDisruptionTarget, updatePodCondition } from "@rollcall/api"
import { type ClusterError, Controller, isNotFound, keyOf } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { awaitOwnWrites } from "../consistency/awaitOwnWrites.ts"
import { handledError, logLine, unhandledError } from "../unhandledError.ts"
import { Disruptions } from "./Disruptions.ts"
import { Scales } from "./scales.ts"
import { staleAt } from "./staleCondition.ts"

type Failure = { readonly message: string }

const syncFailed = (key: string, { message }: Failure) =>
  logLine(handledError("Error syncing PodDisruptionBudget, requeuing", message, { key }))

const clearFailed = (key: string, { message }: Failure) =>
  logLine(unhandledError(`error syncing Pod ${key} to clear DisruptionTarget condition, requeueing: ${message}`))

/** Maintains the status of all PodDisruptionBudgets while the layer lives, through the Cluster in context. */
export const layerDisruptions = Controller.make({
  name: "disruption-controller",
  queue: "disruption",
  records: "controllermanager",
  for: "PodDisruptionBudget",
  when: (_, { isDeleted }) => !isDeleted,
  watches: {
    Pod: { indexes: { namespace: ({ metadata }) => metadata.namespace } },
    ReplicaSet: {},
    ReplicationController: {},
    Deployment: {},
    StatefulSet: {}
  },
  onError: syncFailed,
  reconcile: Effect.fnUntraced(function* ({ addQueue, cache, cluster, followWrites, queue, recorder, timers }) {
    const pods = cache("Pod")
    const scales = new Scales({
      cluster,
      replicaSets: cache("ReplicaSet"),
      replicationControllers: cache("ReplicationController"),
      deployments: cache("Deployment"),
      statefulSets: cache("StatefulSet")
    })
    const budgets = cache("PodDisruptionBudget")
    const own = awaitOwnWrites({ cache, cluster, followWrites, queue, kinds: ["PodDisruptionBudget"] })
    const controller = new Disruptions({ cluster: own.cluster, timers, recorder, budgets, pods, scales, queue })
    /** Sets the DisruptionTarget condition of a pod to False once it is stale. Upstream: syncStalePodDisruption. */
    const clearStaleCondition = Effect.fnUntraced(function* (key: string): Effect.fn.Return<void, ClusterError> {
      const pod = pods.get(key)
      const at = pod === undefined ? undefined : staleAt(pod)
      if (pod === undefined || at === undefined) return
      if (at > timers.now()) {
        staleQueue.addAfter(key, at - timers.now())
        return
      }
      const condition = { type: podDisruptionTarget, status: "False" } as const
      const status = updatePodCondition(pod.status ?? {}, condition, formatTime(timers.now()))
      yield* cluster.updateStatus("Pod", { ...pod, status }).pipe(Effect.catchIf(isNotFound, () => Effect.void))
    })
    const staleQueue = yield* addQueue("stale_pod_disruption", 1, clearStaleCondition, clearFailed)
    const queueForWhenStale = (pod: Pod) => {
      const at = staleAt(pod)
      if (at !== undefined) staleQueue.addAfter(keyOf(pod), at - timers.now())
    }
    pods.addHandler({
      onAdd: (pod) => {
        controller.enqueueFor(pod)
        queueForWhenStale(pod)
      },
      onUpdate: (_, pod) => {
        // A budget that the pod has left counts it until something else syncs it, as upstream.
        controller.enqueueFor(pod)
        queueForWhenStale(pod)
      },
      onDelete: (pod) => controller.enqueueFor(pod)
    })
    return own.once((key: string) => controller.sync(key))
  })
})
