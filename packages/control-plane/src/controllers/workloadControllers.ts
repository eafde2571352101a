import type { KindName } from "@rollcall/api"
import type { Cluster } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import { type DetachSettings, layerAttachDetach } from "@rollcall/volumes"
import {
  layerAutoscalers,
  layerCronJobs,
  layerDaemonSets,
  layerDeployments,
  layerDisruptions,
  layerEndpointSliceMirroring,
  layerEndpointSlices,
  layerJobs,
  layerReplicaSets,
  layerReplicationControllers,
  layerResourceQuotas,
  layerStatefulSets,
  layerTtlAfterFinished,
  waitForObject
} from "@rollcall/workloads"
import * as Layer from "effect/Layer"
import type { ClientLimit, ClientMaker } from "../ClientMaker.ts"
import type { WorkloadConfigs } from "../settings/workloads.ts"

/** A controller that starts with the first object of a kind. */
interface DeferredController {
  /** The name of the controller in Kubernetes. */
  readonly name: string
  /** The name of its client, which is that of its service account. */
  readonly client: string
  readonly kind: KindName
  readonly layer: Layer.Layer<never, never, Cluster | Timers>
}

const deferredControllers = (
  detach: Partial<DetachSettings>,
  { autoscalers, quotas }: WorkloadConfigs
): ReadonlyArray<DeferredController> => [
  { name: "daemonset-controller", client: "daemon-set-controller", kind: "DaemonSet", layer: layerDaemonSets },
  {
    name: "disruption-controller",
    client: "disruption-controller",
    kind: "PodDisruptionBudget",
    layer: layerDisruptions
  },
  { name: "statefulset-controller", client: "statefulset-controller", kind: "StatefulSet", layer: layerStatefulSets },
  { name: "job-controller", client: "job-controller", kind: "Job", layer: layerJobs },
  { name: "cronjob-controller", client: "cronjob-controller", kind: "CronJob", layer: layerCronJobs },
  {
    name: "horizontal-pod-autoscaler-controller",
    client: "horizontal-pod-autoscaler",
    kind: "HorizontalPodAutoscaler",
    layer: layerAutoscalers(autoscalers)
  },
  {
    name: "endpointslice-mirroring-controller",
    client: "endpointslicemirroring-controller",
    kind: "Endpoints",
    layer: layerEndpointSliceMirroring
  },
  {
    name: "replicationcontroller-controller",
    client: "replication-controller",
    kind: "ReplicationController",
    layer: layerReplicationControllers
  },
  {
    name: "resourcequota-controller",
    client: "resourcequota-controller",
    kind: "ResourceQuota",
    layer: layerResourceQuotas(quotas)
  },
  {
    name: "ttl-after-finished-controller",
    client: "ttl-after-finished-controller",
    kind: "Job",
    layer: layerTtlAfterFinished
  },
  {
    name: "persistentvolume-attach-detach-controller",
    client: "attachdetach-controller",
    kind: "PersistentVolume",
    layer: layerAttachDetach(detach)
  }
]

/** The workload controllers of kube-controller-manager, each with its own client. */
export const workloadControllers = (
  clients: ClientMaker,
  limit: ClientLimit,
  detach: Partial<DetachSettings>,
  configs: WorkloadConfigs,
  isEnabled: (controller: string) => boolean = () => true
): Layer.Layer<never, never, Timers> => {
  const deferred = deferredControllers(detach, configs)
    .filter(({ name }) => isEnabled(name))
    .map(({ client, kind, layer }) => waitForObject(kind, layer).pipe(Layer.provide(clients.layer(client, limit))))
  /** Returns the layer with a client of the controller's own name; empty if the controller is not enabled. */
  const withOwnClient = (name: string, layer: Layer.Layer<never, never, Cluster | Timers>) =>
    isEnabled(name) ? layer.pipe(Layer.provide(clients.layer(name, limit))) : Layer.empty
  return Layer.mergeAll(
    withOwnClient("replicaset-controller", layerReplicaSets()),
    withOwnClient("deployment-controller", layerDeployments()),
    withOwnClient("endpointslice-controller", layerEndpointSlices),
    ...deferred
  )
}
