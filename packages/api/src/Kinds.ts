import type * as Schema from "effect/Schema"
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "./objects/Apps.ts"
import { ControllerRevision } from "./objects/ControllerRevision.ts"
import { ConfigMap, Event, Namespace, Secret, ServiceAccount } from "./objects/Core.ts"
import { CustomResourceDefinition } from "./objects/CustomResourceDefinition.ts"
import { FlowSchema, PriorityLevelConfiguration } from "./objects/FlowControl.ts"
import { Job } from "./objects/Job.ts"
import { Lease } from "./objects/Lease.ts"
import type { ListMeta } from "./objects/Meta.ts"
import { Node } from "./objects/Node.ts"
import { PersistentVolume, PersistentVolumeClaim } from "./objects/PersistentVolume.ts"
import { Pod } from "./objects/Pod.ts"
import { PodDisruptionBudget } from "./objects/Policy.ts"
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "./objects/Rbac.ts"
import { PriorityClass } from "./objects/Scheduling.ts"
import { EndpointSlice, Endpoints, Service } from "./objects/Service.ts"
import { CSINode, VolumeAttachment } from "./objects/Storage.ts"
import {
  CSIDriver,
  CSIStorageCapacity,
  RuntimeClass,
  StorageClass,
  VolumeAttributesClass
} from "./objects/StorageClass.ts"
import type { KindName } from "./Resource.ts"

/** The object type of each kind, by the kind's name. */
interface Objects {
  readonly Node: Node
  readonly Pod: Pod
  readonly Namespace: Namespace
  readonly Event: Event
  readonly ConfigMap: ConfigMap
  readonly Secret: Secret
  readonly ServiceAccount: ServiceAccount
  readonly Lease: Lease
  readonly PriorityClass: PriorityClass
  readonly FlowSchema: FlowSchema
  readonly PriorityLevelConfiguration: PriorityLevelConfiguration
  readonly ReplicaSet: ReplicaSet
  readonly Deployment: Deployment
  readonly DaemonSet: DaemonSet
  readonly StatefulSet: StatefulSet
  readonly Job: Job
  readonly PodDisruptionBudget: PodDisruptionBudget
  readonly VolumeAttachment: VolumeAttachment
  readonly CSINode: CSINode
  readonly Service: Service
  readonly Endpoints: Endpoints
  readonly EndpointSlice: EndpointSlice
  readonly PersistentVolume: PersistentVolume
  readonly PersistentVolumeClaim: PersistentVolumeClaim
  readonly StorageClass: StorageClass
  readonly CSIDriver: CSIDriver
  readonly CSIStorageCapacity: CSIStorageCapacity
  readonly VolumeAttributesClass: VolumeAttributesClass
  readonly RuntimeClass: RuntimeClass
  readonly ControllerRevision: ControllerRevision
  readonly Role: Role
  readonly ClusterRole: ClusterRole
  readonly RoleBinding: RoleBinding
  readonly ClusterRoleBinding: ClusterRoleBinding
  readonly CustomResourceDefinition: CustomResourceDefinition
}

/** The object type of a kind. */
export type ObjectOf<K extends KindName> = Objects[K]

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

/** The Schema of each kind. */
export const schemas: { readonly [K in KindName]: Schema.Codec<Objects[K], unknown> } = {
  Node,
  Pod,
  Namespace,
  Event,
  ConfigMap,
  Secret,
  ServiceAccount,
  Lease,
  PriorityClass,
  FlowSchema,
  PriorityLevelConfiguration,
  ReplicaSet,
  Deployment,
  DaemonSet,
  StatefulSet,
  Job,
  PodDisruptionBudget,
  VolumeAttachment,
  CSINode,
  Service,
  Endpoints,
  EndpointSlice,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  CSIDriver,
  CSIStorageCapacity,
  VolumeAttributesClass,
  RuntimeClass,
  ControllerRevision,
  Role,
  ClusterRole,
  RoleBinding,
  ClusterRoleBinding,
  CustomResourceDefinition
}
