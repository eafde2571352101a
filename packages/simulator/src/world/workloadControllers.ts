import type { KindName } from "@rollcall/api"
import type { Cluster } from "@rollcall/cluster"
import { type DetachSettings, layerAttachDetach } from "@rollcall/node-controller"
import type { Timers } from "@rollcall/time"
import {
  layerDaemonSets,
  layerDeployments,
  layerDisruptions,
  layerEndpointSlices,
  layerJobs,
  layerReplicaSets,
  layerStatefulSets,
  onceThereIs
} from "@rollcall/workloads"
import * as Layer from "effect/Layer"
import type { ClientLimit, ClientMaker } from "./Clients.ts"

/** Controllers that sleep until there is an object of their kind, with the names of their clients. */
type Sleeper = readonly [string, KindName, Layer.Layer<never, never, Cluster | Timers>]
const others = (detach: Partial<DetachSettings>): ReadonlyArray<Sleeper> => [
  ["daemon-set-controller", "DaemonSet", layerDaemonSets],
  ["disruption-controller", "PodDisruptionBudget", layerDisruptions],
  ["statefulset-controller", "StatefulSet", layerStatefulSets],
  ["job-controller", "Job", layerJobs],
  ["attachdetach-controller", "PersistentVolume", layerAttachDetach(detach)]
]

/** The controllers of kube-controller-manager that make pods and what pods need, each with its own client. */
export const workloadControllers = (
  clients: ClientMaker,
  limit: ClientLimit,
  detach: Partial<DetachSettings> = {}
): Layer.Layer<never, never, Timers> => {
  const asleep = others(detach).map(([name, kind, layer]) =>
    onceThereIs(kind, layer).pipe(Layer.provide(clients.layer(name, limit)))
  )
  return Layer.mergeAll(
    layerReplicaSets().pipe(Layer.provide(clients.layer("replicaset-controller", limit))),
    layerDeployments().pipe(Layer.provide(clients.layer("deployment-controller", limit))),
    layerEndpointSlices.pipe(Layer.provide(clients.layer("endpointslice-controller", limit))),
    ...asleep
  )
}
