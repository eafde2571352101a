import type { ObjectOf } from "../Kinds.ts"
import type { KindName } from "../Resource.ts"
import * as configuration from "./configuration.ts"
import * as definitions from "./customResourceDefinition.ts"
import * as endpoints from "./endpoints.ts"
import { validateEvent, validateEventUpdate } from "./event.ts"
import { flowSchemaRules } from "./flowSchema.ts"
import { validateJob, validateJobUpdate } from "./job.ts"
import { validateJobStatusUpdate } from "./jobStatus.ts"
import { validateLease, validateLeaseUpdate } from "./lease.ts"
import { validateNamespace, validateNamespaceStatusUpdate, validateNamespaceUpdate } from "./namespace.ts"
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from "./node.ts"
import * as volumes from "./persistentVolume.ts"
import { validatePod, validatePodUpdate } from "./pod.ts"
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatusUpdate,
  validatePodDisruptionBudgetUpdate
} from "./podDisruptionBudget.ts"
import { validatePodStatusUpdate } from "./podStatus.ts"
import { validatePriorityClass, validatePriorityClassUpdate } from "./priorityClass.ts"
import { priorityLevelRules } from "./priorityLevel.ts"
import * as rbac from "./rbac.ts"
import * as service from "./service.ts"
import * as storage from "./storage.ts"
import * as classes from "./storageClass.ts"
import type { Validation } from "./Validation.ts"
import * as workloadStatus from "./workloadStatus.ts"
import * as workloads from "./workloads.ts"

/** The validation of every kind that the modelled API serves. */
export const validations: { readonly [K in KindName]: Validation<ObjectOf<K>> } = {
  Node: { create: validateNode, update: validateNodeUpdate, updateStatus: validateNodeStatusUpdate },
  Pod: { create: validatePod, update: validatePodUpdate, updateStatus: validatePodStatusUpdate },
  Lease: { create: validateLease, update: validateLeaseUpdate },
  Namespace: {
    create: validateNamespace,
    update: validateNamespaceUpdate,
    updateStatus: validateNamespaceStatusUpdate
  },
  Event: { create: (event) => validateEvent(event), update: (event, old) => validateEventUpdate(event, old) },
  ConfigMap: { create: configuration.validateConfigMap, update: configuration.validateConfigMapUpdate },
  Secret: { create: configuration.validateSecret, update: configuration.validateSecretUpdate },
  ServiceAccount: { create: configuration.validateServiceAccount, update: configuration.validateServiceAccountUpdate },
  PriorityClass: { create: validatePriorityClass, update: validatePriorityClassUpdate },
  FlowSchema: flowSchemaRules,
  PriorityLevelConfiguration: priorityLevelRules,
  ReplicaSet: {
    create: workloads.validateReplicaSet,
    update: workloads.validateReplicaSetUpdate,
    updateStatus: workloadStatus.validateReplicaSetStatusUpdate
  },
  Deployment: {
    create: workloads.validateDeployment,
    update: workloads.validateDeploymentUpdate,
    updateStatus: workloadStatus.validateDeploymentStatusUpdate
  },
  DaemonSet: {
    create: workloads.validateDaemonSet,
    update: workloads.validateDaemonSetUpdate,
    updateStatus: workloadStatus.validateDaemonSetStatusUpdate
  },
  StatefulSet: {
    create: workloads.validateStatefulSet,
    update: workloads.validateStatefulSetUpdate,
    updateStatus: workloadStatus.validateStatefulSetStatusUpdate
  },
  Job: {
    create: validateJob,
    update: validateJobUpdate,
    updateStatus: validateJobStatusUpdate
  },
  PodDisruptionBudget: {
    create: validatePodDisruptionBudget,
    update: validatePodDisruptionBudgetUpdate,
    updateStatus: validatePodDisruptionBudgetStatusUpdate
  },
  VolumeAttachment: {
    create: storage.validateVolumeAttachment,
    update: storage.validateVolumeAttachmentUpdate,
    updateStatus: storage.validateVolumeAttachmentUpdate
  },
  CSINode: { create: storage.validateCSINode, update: storage.validateCSINodeUpdate },
  Service: {
    create: service.validateService,
    update: service.validateServiceUpdate,
    updateStatus: service.validateServiceStatusUpdate
  },
  Endpoints: { create: (object) => endpoints.validateEndpoints(object), update: endpoints.validateEndpointsUpdate },
  EndpointSlice: {
    create: (slice) => endpoints.validateEndpointSlice(slice),
    update: endpoints.validateEndpointSliceUpdate
  },
  PersistentVolume: {
    create: volumes.validatePersistentVolume,
    update: volumes.validatePersistentVolumeUpdate,
    updateStatus: volumes.validateVolumeStatusUpdate
  },
  PersistentVolumeClaim: {
    create: volumes.validatePersistentVolumeClaim,
    update: volumes.validatePersistentVolumeClaimUpdate,
    updateStatus: volumes.validateVolumeStatusUpdate
  },
  StorageClass: classes.storageClassRules,
  CSIDriver: classes.csiDriverRules,
  CSIStorageCapacity: classes.csiStorageCapacityRules,
  VolumeAttributesClass: classes.volumeAttributesClassRules,
  RuntimeClass: classes.runtimeClassRules,
  ControllerRevision: classes.controllerRevisionRules,
  Role: { create: rbac.validateRole, update: rbac.validateRoleUpdate },
  ClusterRole: { create: rbac.validateClusterRole, update: rbac.validateClusterRoleUpdate },
  RoleBinding: { create: rbac.validateRoleBinding, update: rbac.validateRoleBindingUpdate },
  ClusterRoleBinding: { create: rbac.validateClusterRoleBinding, update: rbac.validateClusterRoleBindingUpdate },
  CustomResourceDefinition: {
    create: definitions.validateCustomResourceDefinition,
    update: definitions.validateCustomResourceDefinitionUpdate,
    updateStatus: definitions.validateCustomResourceDefinitionStatusUpdate
  }
}
