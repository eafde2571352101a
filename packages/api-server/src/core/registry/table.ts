import {
  type CustomResourceDefinition,
  type KindName,
  type KubeObject,
  type ServiceAccount,
  systemClusterCritical,
  systemNodeCritical
} from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import { autoscalerVersions } from "./autoscalersView.ts"
import { withoutRoundTrip } from "./autoscalerV1.ts"
import { certificateSigningRequests } from "./certificates.ts"
import { resourceClaims, resourceSlices } from "./devices.ts"
import { podTemplate, withTemplateAt } from "./disabledPodFields.ts"
import { define, type KindDefinition, type KindOptions } from "./KindDefinition.ts"
import { pods } from "./pods.ts"
import { apiServices } from "./registration.ts"
import { endpointSlices, endpoints, services } from "./services.ts"
import { keepingMetadata, withResetMetadata, withStoredMetadata } from "./statusMetadata.ts"
import { persistentVolumeClaims, persistentVolumes, withoutScaling } from "./storage.ts"
import { events, leases, namespaces, nodes } from "./strategies.ts"
import { daemonSets, jobs, statefulSets } from "./workloads.ts"

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
  // The shorter form. Upstream: pkg/controlplane/apiserver/apiextensions.go.
  storageVersion: "v1beta1",
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

/** A reference to a Secret keeps its name alone. Upstream: pkg/registry/core/serviceaccount/strategy.go. */
const withSecretNames = (account: ServiceAccount): ServiceAccount =>
  account.secrets === undefined
    ? account
    : { ...account, secrets: account.secrets.map(({ name }) => (name === undefined ? {} : { name })) }

/** Upstream: pkg/registry/admissionregistration. */
const policies = { allowUnconditionalUpdate: false, tracksGeneration: true } as const

/** So that the release before can still read them. Upstream: pkg/kubeapiserver/default_storage_factory_builder.go. */
const mutatingPolicies = { ...policies, storageVersion: "v1beta1" } as const

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: ReadonlyArray<unknown>
}

const webhooks = {
  ...policies,
  tellsAbsentFromEmpty: true,
  strategy: {
    movesGeneration: (object: WebhookConfiguration, stored: WebhookConfiguration) =>
      !sameValue(object.webhooks, stored.webhooks)
  }
}

/** The status of a Deployment is written without its labels. Upstream: pkg/registry/apps/deployment/strategy.go. */
const withStoredLabels = keepingMetadata("labels")

/** All kinds of the API, one entry each. */
export type KindTable = Readonly<Record<KindName, KindDefinition>>

/** Upstream: pkg/registry/flowcontrol/{flowschema,prioritylevelconfiguration}/strategy.go. */
const flowControl = {
  subresources: ["status"],
  tracksGeneration: true,
  strategy: { prepareForStatusUpdate: withStoredMetadata }
} as const

/** A system priority class stays. Upstream: pkg/registry/scheduling/priorityclass/storage/storage.go. */
const systemClasses: ReadonlySet<string> = new Set([systemNodeCritical.name, systemClusterCritical.name])

/** Upstream: pkg/registry, one directory for each kind. To serve another built-in kind, add a line. */
export const kindTable: KindTable = {
  Node: define("Node", nodes),
  Pod: define("Pod", pods),
  Lease: define("Lease", leases),
  Namespace: define("Namespace", namespaces),
  Event: define("Event", events),
  ConfigMap: define("ConfigMap"),
  Secret: define("Secret"),
  ServiceAccount: define("ServiceAccount", {
    returnsDeleted: true,
    strategy: { prepareForCreate: withSecretNames, prepareForUpdate: withSecretNames }
  }),
  PriorityClass: define("PriorityClass", {
    tracksGeneration: true,
    undeletable: (name) =>
      systemClasses.has(name) ? "this is a system priority class and cannot be deleted" : undefined
  }),
  FlowSchema: define("FlowSchema", flowControl),
  PriorityLevelConfiguration: define("PriorityLevelConfiguration", flowControl),
  ReplicaSet: define(
    "ReplicaSet",
    withTemplateAt(podTemplate, {
      subresources: ["status", "scale"],
      tracksGeneration: true
    })
  ),
  Deployment: define(
    "Deployment",
    withTemplateAt(podTemplate, {
      subresources: ["status", "scale"],
      tracksGeneration: true,
      strategy: {
        movesGeneration: (object, stored) => !sameValue(object.metadata.annotations, stored.metadata.annotations),
        prepareForStatusUpdate: withStoredLabels
      }
    })
  ),
  DaemonSet: define("DaemonSet", daemonSets),
  StatefulSet: define("StatefulSet", statefulSets),
  Job: define("Job", jobs),
  HorizontalPodAutoscaler: define("HorizontalPodAutoscaler", {
    versions: autoscalerVersions,
    subresources: ["status"],
    strategy: {
      prepareForCreate: withoutRoundTrip,
      prepareForUpdate: (autoscaler) => withoutRoundTrip(autoscaler),
      prepareForStatusUpdate: (autoscaler) => withoutRoundTrip(autoscaler)
    }
  }),
  CronJob: define(
    "CronJob",
    withTemplateAt(`spec.jobTemplate.${podTemplate}`, {
      subresources: ["status"],
      tracksGeneration: true
    })
  ),
  PodDisruptionBudget: define("PodDisruptionBudget", {
    subresources: ["status"],
    allowUnconditionalUpdate: false,
    tracksGeneration: true
  }),
  VolumeAttachment: define("VolumeAttachment", {
    subresources: ["status"],
    strategy: { prepareForStatusUpdate: withResetMetadata },
    allowUnconditionalUpdate: false,
    returnsDeleted: true
  }),
  CSINode: define("CSINode", { allowUnconditionalUpdate: false, returnsDeleted: true }),
  Service: define("Service", services),
  Endpoints: define("Endpoints", endpoints),
  EndpointSlice: define("EndpointSlice", endpointSlices),
  IngressClass: define("IngressClass", { tracksGeneration: true }),
  Ingress: define("Ingress", {
    directory: "ingress",
    subresources: ["status"],
    tracksGeneration: true
  }),
  LimitRange: define("LimitRange", { allowCreateOnUpdate: true, strategy: { isNamedByUid: true } }),
  ResourceQuota: define("ResourceQuota", {
    subresources: ["status"],
    returnsDeleted: true
  }),
  PodTemplate: define(
    "PodTemplate",
    withTemplateAt("template.spec", {
      tracksGeneration: true,
      returnsDeleted: true,
      strategy: { movesGeneration: (object, stored) => !sameValue(object.template, stored.template) }
    })
  ),
  ReplicationController: define(
    "ReplicationController",
    withTemplateAt(podTemplate, {
      directory: "controllers",
      subresources: ["status", "scale"],
      tracksGeneration: true,
      orphansByDefault: true
    })
  ),
  NetworkPolicy: define("NetworkPolicy", {
    tracksGeneration: true,
    tellsAbsentFromEmpty: true
  }),
  PersistentVolume: define("PersistentVolume", persistentVolumes),
  PersistentVolumeClaim: define("PersistentVolumeClaim", persistentVolumeClaims),
  StorageClass: define("StorageClass", { returnsDeleted: true }),
  CSIDriver: define("CSIDriver", {
    allowUnconditionalUpdate: false,
    returnsDeleted: true,
    tracksGeneration: "onUpdate",
    strategy: { prepareForCreate: withoutScaling, prepareForUpdate: withoutScaling }
  }),
  CSIStorageCapacity: define("CSIStorageCapacity", { allowUnconditionalUpdate: false }),
  VolumeAttributesClass: define("VolumeAttributesClass", {
    returnsDeleted: true
  }),
  RuntimeClass: define("RuntimeClass", {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false
  }),
  ControllerRevision: define("ControllerRevision"),
  Role: define("Role", rbac),
  ClusterRole: define("ClusterRole", rbac),
  RoleBinding: define("RoleBinding", rbac),
  ClusterRoleBinding: define("ClusterRoleBinding", rbac),
  CustomResourceDefinition: define("CustomResourceDefinition", customResourceDefinitions),
  ValidatingAdmissionPolicy: define("ValidatingAdmissionPolicy", {
    ...policies,
    subresources: ["status"],
    createsOnStatusApply: true,
    strategy: { prepareForStatusUpdate: withResetMetadata }
  }),
  ValidatingAdmissionPolicyBinding: define("ValidatingAdmissionPolicyBinding", policies),
  MutatingAdmissionPolicy: define("MutatingAdmissionPolicy", mutatingPolicies),
  MutatingAdmissionPolicyBinding: define("MutatingAdmissionPolicyBinding", mutatingPolicies),
  ValidatingWebhookConfiguration: define("ValidatingWebhookConfiguration", webhooks),
  MutatingWebhookConfiguration: define("MutatingWebhookConfiguration", webhooks),
  DeviceClass: define("DeviceClass", {
    tracksGeneration: true,
    returnsDeleted: true
  }),
  ResourceClaim: define("ResourceClaim", resourceClaims),
  ResourceClaimTemplate: define("ResourceClaimTemplate", { returnsDeleted: true }),
  ResourceSlice: define("ResourceSlice", resourceSlices),
  CertificateSigningRequest: define("CertificateSigningRequest", certificateSigningRequests),
  APIService: define("APIService", apiServices),
  IPAddress: define("IPAddress", { strategy: { isNamedByPrefix: true } }),
  ServiceCIDR: define("ServiceCIDR", {
    subresources: ["status"],
    strategy: { prepareForStatusUpdate: withResetMetadata }
  })
}
