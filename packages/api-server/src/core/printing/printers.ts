import * as core from "./core.ts"
import { events } from "./events.ts"
import { endpointSlices, endpoints, services } from "./network.ts"
import { nodes } from "./nodes.ts"
import type { Printer } from "./Printer.ts"
import { pods } from "./pods.ts"
import * as flowcontrol from "./policy.ts"
import { bindings } from "./policy.ts"
import * as storage from "./storage.ts"
import * as workloads from "./workloads.ts"

/** The printers by group and kind. All other kinds show name and creation time; to give one a table, add a line. */
const printers: Readonly<Record<string, Printer>> = {
  "/Node": nodes,
  "/Pod": pods,
  "/Namespace": core.namespaces,
  "/Event": events,
  "events.k8s.io/Event": events,
  "/ConfigMap": core.configMaps,
  "/Secret": core.secrets,
  "/ServiceAccount": core.nameAndAge,
  "/Service": services,
  "/Endpoints": endpoints,
  "/PersistentVolume": storage.persistentVolumes,
  "/PersistentVolumeClaim": storage.persistentVolumeClaims,
  "coordination.k8s.io/Lease": core.leases,
  "discovery.k8s.io/EndpointSlice": endpointSlices,
  "scheduling.k8s.io/PriorityClass": core.priorityClasses,
  "flowcontrol.apiserver.k8s.io/FlowSchema": flowcontrol.flowSchemas,
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": flowcontrol.priorityLevels,
  "policy/PodDisruptionBudget": core.podDisruptionBudgets,
  "node.k8s.io/RuntimeClass": core.runtimeClasses,
  "apps/Deployment": workloads.deployments,
  "apps/ReplicaSet": workloads.replicaSets,
  "apps/StatefulSet": workloads.statefulSets,
  "apps/DaemonSet": workloads.daemonSets,
  "apps/ControllerRevision": workloads.controllerRevisions,
  "batch/Job": workloads.jobs,
  "autoscaling/Scale": workloads.scales,
  "storage.k8s.io/VolumeAttachment": storage.volumeAttachments,
  "storage.k8s.io/StorageClass": storage.storageClasses,
  "storage.k8s.io/CSIDriver": storage.csiDrivers,
  "storage.k8s.io/CSINode": storage.csiNodes,
  "rbac.authorization.k8s.io/Role": core.defaultTable,
  "rbac.authorization.k8s.io/ClusterRole": core.defaultTable,
  "rbac.authorization.k8s.io/RoleBinding": bindings,
  "rbac.authorization.k8s.io/ClusterRoleBinding": bindings,
  "apiextensions.k8s.io/CustomResourceDefinition": core.defaultTable
}

/** Returns the printer of a built-in kind. Custom resources use `customResourcePrinter`. */
export const printerOf = ({ group, kind }: { readonly group: string; readonly kind: string }): Printer => {
  const key = `${group}/${kind}`
  return Object.hasOwn(printers, key) ? (printers[key] ?? core.defaultTable) : core.defaultTable
}
