import type { KindName } from "@rollcall/api"
import type { Cluster } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import { type DetachSettings, layerAttachDetach } from "@rollcall/volumes"
import {
  layerDaemonSets,
  layerDeployments,
  layerDisruptions,
  layerEndpointSlices,
  layerJobs,
  layerReplicaSets,
  layerStatefulSets,
  layerTtlAfterFinished,
  waitForObject
} from "@rollcall/workloads"
import * as Layer from "effect/Layer"
import type { ClientLimit, ClientMaker } from "../ClientMaker.ts"

/**
 * A controller that starts with the first object of its kind: the name of its client, the kind, the layer, its name in
 * Kubernetes.
 */
type DeferredController = readonly [string, KindName, Layer.Layer<never, never, Cluster | Timers>, string]
const deferredControllers = (detach: Partial<DetachSettings>): ReadonlyArray<DeferredController> => [
  ["daemon-set-controller", "DaemonSet", layerDaemonSets, "daemonset-controller"],
  ["disruption-controller", "PodDisruptionBudget", layerDisruptions, "disruption-controller"],
  ["statefulset-controller", "StatefulSet", layerStatefulSets, "statefulset-controller"],
  ["job-controller", "Job", layerJobs, "job-controller"],
  ["ttl-after-finished-controller", "Job", layerTtlAfterFinished, "ttl-after-finished-controller"],
  [
    "attachdetach-controller",
    "PersistentVolume",
    layerAttachDetach(detach),
    "persistentvolume-attach-detach-controller"
  ]
]

/** The workload controllers of kube-controller-manager, each with its own client. */
export const workloadControllers = (
  clients: ClientMaker,
  limit: ClientLimit,
  detach: Partial<DetachSettings> = {},
  isEnabled: (controller: string) => boolean = () => true
): Layer.Layer<never, never, Timers> => {
  const deferred = deferredControllers(detach)
    .filter(([, , , controller]) => isEnabled(controller))
    .map(([name, kind, layer]) => waitForObject(kind, layer).pipe(Layer.provide(clients.layer(name, limit))))
  /** Provides the client; it has the controller's own name. */
  const provided = (name: string, layer: Layer.Layer<never, never, Cluster | Timers>) =>
    isEnabled(name) ? layer.pipe(Layer.provide(clients.layer(name, limit))) : Layer.empty
  return Layer.mergeAll(
    provided("replicaset-controller", layerReplicaSets()),
    provided("deployment-controller", layerDeployments()),
    provided("endpointslice-controller", layerEndpointSlices),
    ...deferred
  )
}
