import type { ObjectOf } from "../Kinds.ts"
import type { KindName } from "../Resource.ts"
import * as configuration from "./configuration.ts"
import type { FieldErrors } from "./FieldError.ts"
import { validateLease, validateLeaseUpdate } from "./lease.ts"
import { validateNamespace, validateNamespaceStatusUpdate, validateNamespaceUpdate } from "./namespace.ts"
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from "./node.ts"
import { validatePod, validatePodUpdate } from "./pod.ts"
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatusUpdate,
  validatePodDisruptionBudgetUpdate
} from "./podDisruptionBudget.ts"
import { validatePodStatusUpdate } from "./podStatus.ts"
import { validatePriorityClass, validatePriorityClassUpdate } from "./priorityClass.ts"
import * as storage from "./storage.ts"
import * as workloadStatus from "./workloadStatus.ts"
import * as workloads from "./workloads.ts"

/**
 * The rules of one kind. Objects arrive defaulted, prepared (what the caller may not set is taken from the stored object)
 * and admitted. All faults are answered, in the order of the checks; none: an empty list.
 */
export interface Validation<A> {
  readonly create: (object: A) => FieldErrors
  readonly update: (object: A, old: A) => FieldErrors
  /** Kinds without a status subresource have none. */
  readonly updateStatus?: (object: A, old: A) => FieldErrors
}

/** The rules of every kind that the modelled API serves. */
export const validations: { readonly [K in KindName]: Validation<ObjectOf<K>> } = {
  Node: { create: validateNode, update: validateNodeUpdate, updateStatus: validateNodeStatusUpdate },
  Pod: { create: validatePod, update: validatePodUpdate, updateStatus: validatePodStatusUpdate },
  Lease: { create: validateLease, update: validateLeaseUpdate },
  Namespace: {
    create: validateNamespace,
    update: validateNamespaceUpdate,
    updateStatus: validateNamespaceStatusUpdate
  },
  Event: { create: configuration.validateEvent, update: configuration.validateEventUpdate },
  ConfigMap: { create: configuration.validateConfigMap, update: configuration.validateConfigMapUpdate },
  Secret: { create: configuration.validateSecret, update: configuration.validateSecretUpdate },
  ServiceAccount: { create: configuration.validateServiceAccount, update: configuration.validateServiceAccountUpdate },
  PriorityClass: { create: validatePriorityClass, update: validatePriorityClassUpdate },
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
    create: configuration.validateJob,
    update: configuration.validateJobUpdate,
    updateStatus: configuration.validateJobUpdate
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
  CSINode: { create: storage.validateCSINode, update: storage.validateCSINodeUpdate }
}
