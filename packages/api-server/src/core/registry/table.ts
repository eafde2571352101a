import type { KindName } from "@rollcall/api"
import { define, type KindDefinition } from "./KindDefinition.ts"
import { leases } from "./leases.ts"
import { namespaces } from "./namespaces.ts"
import { nodes } from "./nodes.ts"
import { customResourceDefinitions, endpointSlices, endpoints, rbac, services } from "./otherKinds.ts"
import { pods } from "./pods.ts"
import { events, jobs, secrets } from "./smallKinds.ts"

/** Everything that the API serves, one entry a kind. */
export type KindTable = Readonly<Record<KindName, KindDefinition>>

const noPods = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }
/** Upstream: pkg/registry/flowcontrol/{flowschema,prioritylevelconfiguration}/strategy.go. */
const flowControl = { subresources: ["status"], tracksGeneration: true, initialStatus: {} } as const
const noDisruptions = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }

/** Upstream: pkg/registry, one directory a kind. To serve another kind is to add a line. */
export const kindTable: KindTable = {
  Node: define("Node", nodes),
  Pod: define("Pod", pods),
  Lease: define("Lease", leases),
  Namespace: define("Namespace", namespaces),
  Event: define("Event", events),
  ConfigMap: define("ConfigMap"),
  Secret: define("Secret", secrets),
  ServiceAccount: define("ServiceAccount"),
  PriorityClass: define("PriorityClass", { tracksGeneration: true }),
  FlowSchema: define("FlowSchema", flowControl),
  PriorityLevelConfiguration: define("PriorityLevelConfiguration", flowControl),
  ReplicaSet: define("ReplicaSet", {
    subresources: ["status", "scale"],
    tracksGeneration: true,
    initialStatus: { replicas: 0 }
  }),
  Deployment: define("Deployment", {
    subresources: ["status", "scale"],
    tracksGeneration: true,
    initialStatus: {},
    strategy: { movesGeneration: (object, stored) => object.metadata.annotations !== stored.metadata.annotations }
  }),
  DaemonSet: define("DaemonSet", { subresources: ["status"], tracksGeneration: true, initialStatus: noPods }),
  StatefulSet: define("StatefulSet", {
    subresources: ["status", "scale"],
    tracksGeneration: true,
    initialStatus: { replicas: 0, availableReplicas: 0 }
  }),
  Job: define("Job", jobs),
  PodDisruptionBudget: define("PodDisruptionBudget", {
    subresources: ["status"],
    allowUnconditionalUpdate: false,
    tracksGeneration: true,
    initialStatus: noDisruptions
  }),
  VolumeAttachment: define("VolumeAttachment", {
    subresources: ["status"],
    allowUnconditionalUpdate: false,
    initialStatus: { attached: false }
  }),
  CSINode: define("CSINode", { allowUnconditionalUpdate: false }),
  Service: define("Service", services),
  Endpoints: define("Endpoints", endpoints),
  EndpointSlice: define("EndpointSlice", endpointSlices),
  PersistentVolume: define("PersistentVolume", { subresources: ["status"], initialStatus: { phase: "Pending" } }),
  PersistentVolumeClaim: define("PersistentVolumeClaim", {
    subresources: ["status"],
    initialStatus: { phase: "Pending" }
  }),
  StorageClass: define("StorageClass"),
  CSIDriver: define("CSIDriver", { allowUnconditionalUpdate: false }),
  CSIStorageCapacity: define("CSIStorageCapacity", { allowUnconditionalUpdate: false }),
  VolumeAttributesClass: define("VolumeAttributesClass"),
  RuntimeClass: define("RuntimeClass", { allowUnconditionalUpdate: false }),
  ControllerRevision: define("ControllerRevision"),
  Role: define("Role", rbac),
  ClusterRole: define("ClusterRole", rbac),
  RoleBinding: define("RoleBinding", rbac),
  ClusterRoleBinding: define("ClusterRoleBinding", rbac),
  CustomResourceDefinition: define("CustomResourceDefinition", customResourceDefinitions)
}
