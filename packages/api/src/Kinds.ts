import * as admission from "./kinds/admission.ts"
import * as core from "./kinds/core.ts"
import * as devices from "./kinds/devices.ts"
import type { Kind } from "./kinds/Kind.ts"
import * as network from "./kinds/network.ts"
import * as policy from "./kinds/policy.ts"
import * as quota from "./kinds/quota.ts"
import * as registration from "./kinds/registration.ts"
import * as storage from "./kinds/storage.ts"
import * as workloads from "./kinds/workloads.ts"
import type { ListMeta } from "./objects/Meta.ts"
import type { Resource } from "./Resource.ts"

/** All kinds of the modelled API. Names, types, defaults, validation, warnings and field selectors are read from here. */
export const kinds = {
  Node: core.nodes,
  Pod: core.pods,
  Namespace: core.namespaces,
  Event: core.events,
  ConfigMap: core.configMaps,
  Secret: core.secrets,
  ServiceAccount: core.serviceAccounts,
  Lease: policy.leases,
  PriorityClass: policy.priorityClasses,
  FlowSchema: policy.flowSchemas,
  PriorityLevelConfiguration: policy.priorityLevels,
  ReplicaSet: workloads.replicaSets,
  Deployment: workloads.deployments,
  DaemonSet: workloads.daemonSets,
  StatefulSet: workloads.statefulSets,
  Job: workloads.jobs,
  CronJob: workloads.cronJobs,
  HorizontalPodAutoscaler: workloads.autoscalers,
  PodDisruptionBudget: policy.podDisruptionBudgets,
  VolumeAttachment: storage.volumeAttachments,
  CSINode: storage.csiNodes,
  Service: network.services,
  Endpoints: network.endpoints,
  EndpointSlice: network.endpointSlices,
  IngressClass: network.ingressClasses,
  Ingress: network.ingresses,
  NetworkPolicy: network.networkPolicies,
  LimitRange: quota.limitRanges,
  ResourceQuota: quota.resourceQuotas,
  PodTemplate: quota.podTemplates,
  ReplicationController: quota.replicationControllers,
  PersistentVolume: storage.persistentVolumes,
  PersistentVolumeClaim: storage.persistentVolumeClaims,
  StorageClass: storage.storageClasses,
  CSIDriver: storage.csiDrivers,
  CSIStorageCapacity: storage.csiStorageCapacities,
  VolumeAttributesClass: storage.volumeAttributesClasses,
  RuntimeClass: policy.runtimeClasses,
  ControllerRevision: workloads.controllerRevisions,
  Role: policy.roles,
  ClusterRole: policy.clusterRoles,
  RoleBinding: policy.roleBindings,
  ClusterRoleBinding: policy.clusterRoleBindings,
  CustomResourceDefinition: policy.customResourceDefinitions,
  ValidatingAdmissionPolicy: admission.validatingAdmissionPolicies,
  ValidatingAdmissionPolicyBinding: admission.validatingAdmissionPolicyBindings,
  MutatingAdmissionPolicy: admission.mutatingAdmissionPolicies,
  MutatingAdmissionPolicyBinding: admission.mutatingAdmissionPolicyBindings,
  ValidatingWebhookConfiguration: admission.validatingWebhookConfigurations,
  MutatingWebhookConfiguration: admission.mutatingWebhookConfigurations,
  DeviceClass: devices.deviceClasses,
  ResourceClaim: devices.resourceClaims,
  ResourceClaimTemplate: devices.resourceClaimTemplates,
  ResourceSlice: devices.resourceSlices,
  CertificateSigningRequest: registration.certificateSigningRequests,
  APIService: registration.apiServices,
  IPAddress: registration.ipAddresses,
  ServiceCIDR: registration.serviceCIDRs
}

/** A kind of the modelled API. */
export type KindName = keyof typeof kinds

/** The object type of a kind. */
export type ObjectOf<K extends KindName> = (typeof kinds)[K]["schema"]["Type"]

/** The list type of a kind: the response of a LIST. */
export interface ListOf<K extends KindName> {
  readonly apiVersion: string
  readonly kind: `${K}List`
  readonly metadata: ListMeta
  readonly items: ReadonlyArray<ObjectOf<K>>
}

export type NodeList = ListOf<"Node">
export type PodList = ListOf<"Pod">
export type LeaseList = ListOf<"Lease">
export type NamespaceList = ListOf<"Namespace">
export type EventList = ListOf<"Event">

export const kindNames = Object.keys(kinds) as ReadonlyArray<KindName>

export const isKindName = (kind: string): kind is KindName => Object.hasOwn(kinds, kind)

/** Returns the declaration of a kind. */
export const kindOf = <K extends KindName>(kind: K): Kind<ObjectOf<K>> => kinds[kind] as unknown as Kind<ObjectOf<K>>

export const resourceOf = <K extends KindName>(kind: K): Resource<KindName> => kinds[kind].resource

/** Returns `v1` or `apps/v1`. */
export const apiVersionOf = (kind: KindName): string => {
  const { group, version } = resourceOf(kind)
  return group === "" ? version : `${group}/${version}`
}

/** Returns the kind by its plural, singular, short name or kind, ignoring case. */
export const kindOfName = (name: string): KindName | undefined => {
  const lower = name.toLowerCase()
  return kindNames.find((kind) => {
    const { plural, shortNames, singular } = resourceOf(kind)
    return plural === lower || singular === lower || shortNames.includes(lower)
  })
}
