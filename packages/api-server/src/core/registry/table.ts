import type { CustomResourceDefinition, EndpointSlice, KindName, Service } from "@rollcall/api"
import { sameValue } from "../objects/values.ts"
import { define, type KindDefinition, type KindOptions } from "./KindDefinition.ts"
import { events, jobs, leases, namespaces, nodes, pods, secrets } from "./strategies.ts"

/*
 * The table of kinds, and the rules of those that need few lines; `strategies.ts` has the others. Rules compare parts of
 * objects with `sameValue`: a patch shares what it did not change with the stored object, the body of a PUT shares nothing.
 */

/** PUT creates missing roles and bindings, as bootstrapping and `kubectl auth reconcile` require. */
const rbac = { allowCreateOnUpdate: true } as const

const services: KindOptions<Service> = {
  directory: "services/specs",
  subresources: ["status"],
  allowCreateOnUpdate: true,
  initialStatus: { loadBalancer: {} },
  fieldOf: ({ spec }, field) => {
    if (field === "spec.clusterIP") return spec?.clusterIP ?? ""
    return field === "spec.type" ? spec?.type : undefined
  }
}

const endpoints = { directory: "services/endpoints", allowCreateOnUpdate: true } as const

const endpointSlices: KindOptions<EndpointSlice> = {
  tracksGeneration: true,
  strategy: {
    movesGeneration: (slice, stored) =>
      !sameValue(slice.endpoints, stored.endpoints) ||
      !sameValue(slice.ports, stored.ports) ||
      slice.addressType !== stored.addressType
  }
}

/** Returns the names of the versions in which objects are stored: one, if the definition is valid. */
const storageVersions = ({ spec }: CustomResourceDefinition): ReadonlyArray<string> =>
  spec.versions.filter(({ storage }) => storage).map(({ name }) => name)

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
      status: { conditions: null, acceptedNames: noAcceptedNames, storedVersions: storageVersions(definition) }
    }),
    prepareForUpdate: (definition) => {
      const stored = definition.status?.storedVersions ?? []
      const added = storageVersions(definition).filter((version) => !stored.includes(version))
      if (added.length === 0) return definition
      return { ...definition, status: { ...definition.status, storedVersions: [...stored, ...added] } }
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
