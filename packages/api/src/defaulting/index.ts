import * as Base64 from "effect/encoding/Base64"
import type { ObjectOf } from "../Kinds.ts"
import type { Namespace, Secret } from "../objects/Core.ts"
import type { PriorityClass } from "../objects/Scheduling.ts"
import type { KindName } from "../Resource.ts"
import { labelNamespaceName } from "../wellKnown.ts"
import { defaultCustomResourceDefinition } from "./customResourceDefinition.ts"
import { withDefaults, withFields } from "./fill.ts"
import { defaultFlowSchema, defaultPriorityLevelConfiguration } from "./flowcontrol.ts"
import { defaultNode } from "./node.ts"
import { defaultPod } from "./pod.ts"
import { defaultBinding } from "./rbac.ts"
import { defaultEndpointSlice, defaultEndpoints, defaultService } from "./service.ts"
import {
  defaultCSIDriver,
  defaultPersistentVolume,
  defaultPersistentVolumeClaim,
  defaultStorageClass
} from "./storage.ts"
import { defaultDaemonSet, defaultDeployment, defaultJob, defaultReplicaSet, defaultStatefulSet } from "./workloads.ts"

/** An existing namespace is active until it is deleted, and has its name as a label for selectors. */
const defaultNamespace = (namespace: Namespace): Namespace => {
  const { metadata, status } = namespace
  const name = metadata?.name
  return withFields(namespace, {
    status: withDefaults(status ?? {}, { phase: "Active" }),
    metadata:
      name === undefined || metadata.labels?.[labelNamespaceName] === name
        ? undefined
        : { ...metadata, labels: { ...metadata.labels, [labelNamespaceName]: name } }
  })
}

const defaultPriorityClass = (priorityClass: PriorityClass): PriorityClass =>
  withDefaults(priorityClass, { preemptionPolicy: "PreemptLowerPriority" })

/** Encodes `stringData` into `data`, where it takes precedence. */
const withEncodedStrings = (secret: Secret): Secret => {
  const { stringData, ...rest } = secret
  if (stringData === undefined) return secret
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Base64.encode(text)] as const)
  return encoded.length === 0 ? rest : { ...rest, data: { ...rest.data, ...Object.fromEntries(encoded) } }
}

const defaultSecret = (secret: Secret): Secret => withDefaults(withEncodedStrings(secret), { type: "Opaque" })

const unchanged = <A>(object: A): A => object

/**
 * The defaults of each kind: fields that a client may omit are set before any other code reads the object. An object
 * that lacks nothing is returned unchanged. Fields set by admission and by the strategies (service account, priority,
 * generation) are not included.
 */
export const defaulters: { readonly [K in KindName]: (object: ObjectOf<K>) => ObjectOf<K> } = {
  Node: defaultNode,
  Pod: defaultPod,
  Namespace: defaultNamespace,
  Event: unchanged,
  ConfigMap: unchanged,
  Secret: defaultSecret,
  ServiceAccount: unchanged,
  Lease: unchanged,
  PriorityClass: defaultPriorityClass,
  FlowSchema: defaultFlowSchema,
  PriorityLevelConfiguration: defaultPriorityLevelConfiguration,
  ReplicaSet: defaultReplicaSet,
  Deployment: defaultDeployment,
  DaemonSet: defaultDaemonSet,
  StatefulSet: defaultStatefulSet,
  Job: defaultJob,
  PodDisruptionBudget: unchanged,
  VolumeAttachment: unchanged,
  CSINode: unchanged,
  Service: defaultService,
  Endpoints: defaultEndpoints,
  EndpointSlice: defaultEndpointSlice,
  PersistentVolume: defaultPersistentVolume,
  PersistentVolumeClaim: defaultPersistentVolumeClaim,
  StorageClass: defaultStorageClass,
  CSIDriver: defaultCSIDriver,
  CSIStorageCapacity: unchanged,
  VolumeAttributesClass: unchanged,
  RuntimeClass: unchanged,
  ControllerRevision: unchanged,
  Role: unchanged,
  ClusterRole: unchanged,
  RoleBinding: defaultBinding,
  ClusterRoleBinding: defaultBinding,
  CustomResourceDefinition: defaultCustomResourceDefinition
}
