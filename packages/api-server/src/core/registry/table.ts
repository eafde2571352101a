import { type CustomResourceDefinition, type KindName, systemClusterCritical, systemNodeCritical } from "@rollcall/api"
import { sameValue } from "../objects/values.ts"
import { define, type KindDefinition, type KindOptions } from "./KindDefinition.ts"
import { pods } from "./pods.ts"
import { endpointSlices, endpoints, services } from "./services.ts"
import { events, jobs, leases, namespaces, nodes, secrets } from "./strategies.ts"

/*
 * The table of kinds, and the rules of those that need few lines; `strategies.ts` has the others. Rules compare parts of
 * objects with `sameValue`: a patch shares what it did not change with the stored object, the body of a PUT shares nothing.
 */

/** PUT creates missing roles and bindings, as bootstrapping and `kubectl auth reconcile` require. */
const rbac = { allowCreateOnUpdate: true } as const

/** Returns the stored versions with the first version that objects are stored in. */
const withStorageVersion = (
  { spec }: CustomResourceDefinition,
  stored: ReadonlyArray<string>
): ReadonlyArray<string> | null => {
  const name = spec.versions?.find(({ storage }) => storage)?.name
  const all = name === undefined || stored.includes(name) ? stored : [...stored, name]
  return all.length === 0 ? null : all
}

/** The accepted names until the naming controller has checked them: the API requires the fields, but not their content. */
const noAcceptedNames = { kind: "", plural: "" }

/**
 * Every version in which objects were ever stored is recorded. Upstream:
 * apiextensions-apiserver/pkg/registry/customresourcedefinition.
 */
const customResourceDefinitions: KindOptions<CustomResourceDefinition> = {
  directory: "apiextensions.k8s.io/customresourcedefinitions",
  subresources: ["status"],
  allowUnconditionalUpdate: false,
  tracksGeneration: true,
  strategy: {
    prepareForCreate: (definition) => ({
      ...definition,
      status: { conditions: null, acceptedNames: noAcceptedNames, storedVersions: withStorageVersion(definition, []) }
    }),
    prepareForUpdate: (definition) => {
      const stored = definition.status?.storedVersions ?? []
      const storedVersions = withStorageVersion(definition, stored)
      if (storedVersions?.length === stored.length) return definition
      return { ...definition, status: { ...definition.status, storedVersions } }
    }
  }
}

/** All kinds of the API, one entry each. */
export type KindTable = Readonly<Record<KindName, KindDefinition>>

/** The status of a new DaemonSet: the fields that the API requires. */
const noDaemons = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }

/** The status of a new PodDisruptionBudget: the fields that the API requires. */
const noDisruptions = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }

/** Upstream: pkg/registry/flowcontrol/{flowschema,prioritylevelconfiguration}/strategy.go. */
const flowControl = { subresources: ["status"], tracksGeneration: true, initialStatus: {} } as const

/** Upstream: pkg/registry, one directory for each kind. To serve another built-in kind, add a line. */
export const kindTable: KindTable = {
  Node: define("Node", nodes),
  Pod: define("Pod", pods),
  Lease: define("Lease", leases),
  Namespace: define("Namespace", namespaces),
  Event: define("Event", events),
  ConfigMap: define("ConfigMap"),
  Secret: define("Secret", secrets),
  ServiceAccount: define("ServiceAccount", { returnsDeleted: true }),
  PriorityClass: define("PriorityClass", {
    tracksGeneration: true,
    undeletable: (name) =>
      name === systemNodeCritical.name || name === systemClusterCritical.name
        ? "this is a system priority class and cannot be deleted"
        : undefined
  }),
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
    strategy: {
      movesGeneration: (object, stored) => !sameValue(object.metadata.annotations, stored.metadata.annotations)
    }
  }),
  DaemonSet: define("DaemonSet", { subresources: ["status"], tracksGeneration: true, initialStatus: noDaemons }),
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
    initialStatus: { attached: false },
    returnsDeleted: true
  }),
  CSINode: define("CSINode", { allowUnconditionalUpdate: false, returnsDeleted: true }),
  Service: define("Service", services),
  Endpoints: define("Endpoints", endpoints),
  EndpointSlice: define("EndpointSlice", endpointSlices),
  PersistentVolume: define("PersistentVolume", {
    subresources: ["status"],
    initialStatus: { phase: "Pending" },
    returnsDeleted: true
  }),
  PersistentVolumeClaim: define("PersistentVolumeClaim", {
    subresources: ["status"],
    initialStatus: { phase: "Pending" },
    returnsDeleted: true
  }),
  StorageClass: define("StorageClass", { returnsDeleted: true }),
  CSIDriver: define("CSIDriver", {
    allowUnconditionalUpdate: false,
    returnsDeleted: true,
    tracksGeneration: "onUpdate"
  }),
  CSIStorageCapacity: define("CSIStorageCapacity", { allowUnconditionalUpdate: false }),
  VolumeAttributesClass: define("VolumeAttributesClass", { returnsDeleted: true }),
  RuntimeClass: define("RuntimeClass", { allowCreateOnUpdate: true, allowUnconditionalUpdate: false }),
  ControllerRevision: define("ControllerRevision"),
  Role: define("Role", rbac),
  ClusterRole: define("ClusterRole", rbac),
  RoleBinding: define("RoleBinding", rbac),
  ClusterRoleBinding: define("ClusterRoleBinding", rbac),
  CustomResourceDefinition: define("CustomResourceDefinition", customResourceDefinitions)
}
