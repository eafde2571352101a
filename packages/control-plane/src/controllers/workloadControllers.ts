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

/** Controllers that sleep until there is an object of their kind, with the names of their clients and their own. */
type Sleeper = readonly [string, KindName, Layer.Layer<never, never, Cluster | Timers>, string]
const others = (detach: Partial<DetachSettings>): ReadonlyArray<Sleeper> => [
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

/** The controllers of kube-controller-manager that make pods and what pods need, each with its own client. */
export const workloadControllers = (
  clients: ClientMaker,
  limit: ClientLimit,
  detach: Partial<DetachSettings> = {},
  isEnabled: (controller: string) => boolean = () => true
): Layer.Layer<never, never, Timers> => {
  const asleep = others(detach)
    .filter(([, , , controller]) => isEnabled(controller))
    .map(([name, kind, layer]) => waitForObject(kind, layer).pipe(Layer.provide(clients.layer(name, limit))))
  /** Their clients have their names. */
  const awake = (name: string, layer: Layer.Layer<never, never, Cluster | Timers>) =>
    isEnabled(name) ? layer.pipe(Layer.provide(clients.layer(name, limit))) : Layer.empty
  return Layer.mergeAll(
    awake("replicaset-controller", layerReplicaSets()),
    awake("deployment-controller", layerDeployments()),
    awake("endpointslice-controller", layerEndpointSlices),
    ...asleep
  )
}
