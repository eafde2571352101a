// Kinds of the API: each a schema and the type that it decodes to.

export {
  AuditAnnotation,
  ExpressionWarning,
  MatchCondition,
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicySpec,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  Mutation,
  NamedRuleWithOperations,
  ParamKind,
  ParamRef,
  RuleWithOperations,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  Validation,
  Variable,
  WebhookClientConfig
} from "./objects/AdmissionRegistration.ts"
export {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  type PodAntiAffinity,
  PreferredSchedulingTerm,
  Toleration,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm
} from "./objects/Affinity.ts"
export { APIService } from "./objects/APIService.ts"
export {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetStatus,
  Deployment,
  DeploymentCondition,
  DeploymentSpec,
  DeploymentStatus,
  ReplicaSet,
  ReplicaSetSpec,
  ReplicaSetStatus,
  StatefulSet,
  StatefulSetSpec,
  StatefulSetStatus,
  WorkloadCondition
} from "./objects/Apps.ts"
export {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec
} from "./objects/CertificateSigningRequest.ts"
export {
  Container,
  ContainerPort,
  ContainerRestartRule,
  EnvVar,
  EphemeralContainer,
  Lifecycle,
  LifecycleHandler,
  Probe,
  ResourceRequirements,
  VolumeMount
} from "./objects/Container.ts"
export { ControllerRevision } from "./objects/ControllerRevision.ts"
export { ConfigMap, Event, Namespace, NamespaceCondition, Secret, ServiceAccount } from "./objects/Core.ts"
export { CronJob, CronJobSpec, CronJobStatus, JobTemplateSpec } from "./objects/CronJob.ts"
export {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources
} from "./objects/CustomResourceDefinition.ts"
export {
  ExemptPriorityLevelConfiguration,
  FlowControlCondition,
  FlowSchema,
  FlowSchemaSpec,
  FlowSubject,
  LimitedPriorityLevelConfiguration,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
  ResourcePolicyRule
} from "./objects/FlowControl.ts"
export {
  AutoscalerBehavior,
  AutoscalerCondition,
  AutoscalerStatus,
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  ScalingRules
} from "./objects/HorizontalPodAutoscaler.ts"
export { Ingress, IngressBackend, IngressSpec } from "./objects/Ingress.ts"
export { IngressClass } from "./objects/IngressClass.ts"
export { Job, JobCondition, JobSpec, JobStatus } from "./objects/Job.ts"
export { Lease, LeaseSpec } from "./objects/Lease.ts"
export {
  Condition,
  KubeObject,
  LabelSelector,
  LabelSelectorRequirement,
  ListMeta,
  LocalObjectReference,
  ManagedFieldsEntry,
  ObjectMeta,
  ObjectReference,
  OwnerReference
} from "./objects/Meta.ts"
export { NetworkPolicy, NetworkPolicyPeer, NetworkPolicySpec } from "./objects/NetworkPolicy.ts"
export {
  AttachedVolume,
  ContainerImage,
  Node,
  NodeAddress,
  NodeCondition,
  NodeDaemonEndpoints,
  NodeRuntimeHandler,
  NodeSpec,
  NodeStatus,
  NodeSystemInfo,
  Taint
} from "./objects/Node.ts"
export {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec
} from "./objects/PersistentVolume.ts"
export { Binding, Pod, PodSecurityContext, PodSpec, PodTemplateSpec } from "./objects/Pod.ts"
export {
  ContainerState,
  ContainerStateRunning,
  ContainerStateTerminated,
  ContainerStateWaiting,
  ContainerStatus,
  PodCondition,
  type PodPhase,
  type PodQOSClass,
  PodStatus
} from "./objects/PodStatus.ts"
export { Eviction, PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from "./objects/Policy.ts"
export { LimitRange, LimitRangeItem, ResourceQuota, ResourceQuotaSpec } from "./objects/Quota.ts"
export { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject } from "./objects/Rbac.ts"
export { PodTemplate, ReplicationController } from "./objects/ReplicationController.ts"
export {
  AllocatedDeviceStatus,
  DeviceClass,
  DeviceRequestAllocationResult,
  DeviceToleration,
  ResourceClaim,
  ResourceClaimStatus,
  ResourceClaimTemplate
} from "./objects/ResourceClaim.ts"
export { Device, DeviceTaint, ResourceSlice } from "./objects/ResourceSlice.ts"
export { ConditionStatus, IntOrString, MicroTime, Quantity, ResourceList, Time } from "./objects/Scalars.ts"
export { PriorityClass } from "./objects/Scheduling.ts"
export {
  Endpoint,
  EndpointAddress,
  EndpointSlice,
  EndpointSubset,
  Endpoints,
  Service,
  ServicePort,
  ServiceSpec
} from "./objects/Service.ts"
export { IPAddress, ServiceCIDR } from "./objects/ServiceCIDR.ts"
export { DeleteOptions, Preconditions, Status, StatusCause, StatusDetails } from "./objects/Status.ts"
export {
  CSINode,
  CSINodeDriver,
  VolumeAttachment,
  VolumeAttachmentSpec,
  VolumeAttachmentStatus
} from "./objects/Storage.ts"
export {
  CSIDriver,
  CSIDriverSpec,
  CSIStorageCapacity,
  RuntimeClass,
  StorageClass,
  VolumeAttributesClass
} from "./objects/StorageClass.ts"
export { Table, TableColumnDefinition, TableRow, TableRowCondition } from "./objects/Table.ts"
export { Volume } from "./objects/Volume.ts"

// All of them by name: resources, versions, lists.

export { decodeList, decodeObject, decodeWire } from "./decode.ts"
export {
  apiVersionOf,
  type EventList,
  isKindName,
  type KindName,
  kindNames,
  kindOf,
  kindOfName,
  kinds,
  type LeaseList,
  type ListOf,
  type NamespaceList,
  type NodeList,
  type ObjectOf,
  type PodList,
  resourceOf
} from "./Kinds.ts"
export type { Kind } from "./kinds/Kind.ts"
export type { Resource } from "./Resource.ts"

// The release of Kubernetes, and its feature gates.

export { mayRestartAllContainers, neededNodeFeatures } from "./nodeFeatures.ts"
export {
  type ClaimName,
  claimNameOf,
  claimsOf,
  foreignClaim,
  type PodClaim,
  type UsedClaim,
  usedClaims
} from "./podClaims.ts"
export { type PodReferences, podReferences, projects, tokenAudiences } from "./podReferences.ts"
export { ControllerGates, currentGates } from "./release/ControllerGates.ts"
export {
  type FeatureGate,
  type FeatureGateError,
  type FeatureGates,
  featureGatesOf,
  type GateStage,
  type GateState,
  gateState,
  isFeatureGate,
  resolveFeatureGates
} from "./release/FeatureGates.ts"
export {
  CurrentRelease,
  defaultRelease,
  isReleaseName,
  type Release,
  type ReleaseName,
  releaseNames,
  releases,
  type SwapRules
} from "./release/Release.ts"
export { buildLabels, buildLabelsOf, type VersionInfo, versionInfo } from "./release/versionInfo.ts"

// Names of labels, annotations, taints, conditions and finalizers.

export {
  annotationBetaStorageProvisioner,
  annotationBindCompleted,
  annotationBoundByController,
  annotationDefaultClass,
  annotationMigratedTo,
  annotationProvisionedBy,
  annotationSelectedNode,
  annotationStorageProvisioner,
  finalizerAttributesProtection,
  finalizerClaimProtection,
  finalizerInTreeVolume,
  finalizerProvisioner,
  finalizerVolumeProtection,
  noProvisioner
} from "./volumes/names.ts"
export {
  annotationConfigHash,
  annotationConfigMirror,
  annotationConfigSeen,
  annotationConfigSource,
  annotationControllerManagedAttach,
  annotationPodDeletionCost,
  annotationProvidedNodeIP,
  annotationRollbackTo,
  annotationTemplateGeneration,
  defaultNamespace,
  foregroundFinalizer,
  labelArch,
  labelBetaArch,
  labelBetaInstanceType,
  labelBetaOS,
  labelBetaRegion,
  labelBetaZone,
  labelExcludeDisruption,
  labelHostname,
  labelInstanceType,
  labelNamespaceName,
  labelOS,
  labelRegion,
  labelZone,
  nodeLeaseNamespace,
  nodeReady,
  nodesGroup,
  nodeUserPrefix,
  orphanFinalizer,
  podDisruptionTarget,
  podScheduled,
  systemClusterCritical,
  systemCriticalPriority,
  systemNamespace,
  systemNodeCritical,
  taintCloudShutdown,
  taintCloudUninitialized,
  taintDiskPressure,
  taintMemoryPressure,
  taintNetworkUnavailable,
  taintNotReady,
  taintOutOfService,
  taintPIDPressure,
  taintUnreachable,
  taintUnschedulable
} from "./wellKnown.ts"

// Defaults that the API server sets.

export { withServiceAccount } from "./admission/ServiceAccount.ts"
export {
  BOOTSTRAP_TOKEN_NAMESPACE,
  type BootstrapToken,
  bootstrapTokenName,
  isBootstrapToken,
  isNamedForToken,
  parseBootstrapToken,
  readBootstrapToken
} from "./bootstrapToken.ts"
export { defaultPod } from "./defaulting/pod.ts"
export {
  autoUpdateSpec,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  suggestedFlowSchemas,
  suggestedPriorityLevels
} from "./flowcontrol/bootstrap.ts"
export { isExternallyAccessible, needsHealthCheck } from "./services.ts"

// Errors that the API answers with.

export {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  forbidden,
  type GroupKind,
  type GroupResource,
  generateNameConflict,
  genericResponse,
  groupResourceOf,
  internalError,
  invalid,
  methodNotSupported,
  namespaceTerminating,
  notFound,
  requestEntityTooLarge,
  serviceUnavailable,
  staleResourceVersion,
  success,
  timeout,
  tooLargeResourceVersion,
  tooManyRequests,
  unauthorized,
  unknownError,
  unstructuredResponse
} from "./status/Status.ts"

// Quantities, times and durations.

export { type CronSchedule, parseCronSchedule } from "./cron/CronSchedule.ts"
export { NEVER, nextTime } from "./cron/nextTime.ts"
export { utc, type WallClock, wallClockAt, type Zone, zoneFault, zoneOf } from "./cron/Zone.ts"
export { durationFault, formatDuration, parseDuration } from "./Duration.ts"
export { formatRfc1123 } from "./formatRfc1123.ts"
export type { Amount, QuantityFormat } from "./quantity/Amount.ts"
export { decimalText } from "./quantity/format.ts"
export type { QuantityError } from "./quantity/parse.ts"
export { parseQuantity } from "./quantity/parseQuantity.ts"
export {
  addQuantity,
  amountOf,
  approximateValue,
  canonicalQuantity,
  compareQuantity,
  equalQuantity,
  formatQuantity,
  makeMilliQuantity,
  makeQuantity,
  milliValue,
  negateQuantity,
  type QuantityLike,
  roundUpQuantity,
  scaledValue,
  signOf,
  subtractQuantity,
  value,
  zeroQuantity
} from "./quantity/Quantity.ts"
export { formatMicroTime, formatTime, parseTime } from "./Time.ts"
export { goQuote } from "./validation/goFormat.ts"

// Selectors of labels, fields and nodes.

export {
  exactFieldValue,
  type FieldSelector,
  type FieldTerm,
  formatFieldSelector,
  matchesFieldSelector,
  parseFieldSelector
} from "./selector/FieldSelector.ts"
export { matchesTerm, type NodePredicate, pinnedNodes, requiredNodes } from "./selector/NodeSelection.ts"
export { parseLabelSelector } from "./selector/parseLabelSelector.ts"
export {
  formatLabelSelector,
  type Labels,
  makeSelector,
  matchesLabelSelector,
  type Requirement,
  type Selector,
  SelectorError,
  type SelectorOperator,
  selectNothing,
  selectorOf
} from "./selector/Selector.ts"

// Nodes and pods: conditions, taints, tolerations, requests, owners.

export { toleratesDeviceTaint } from "./deviceTaints.ts"
export { ephemeralClaimName } from "./ephemeralClaim.ts"
export { getNodeCondition, isNodeReady } from "./NodeCondition.ts"
export { controllerReference, getControllerOf, isControlledBy, keyOf } from "./Owner.ts"
export { getPodCondition, isPodReady, updatePodCondition } from "./PodCondition.ts"
export { isPodTerminal } from "./PodPhase.ts"
export {
  type Amounts,
  formatAmounts,
  isSidecar,
  type PodResourcesOptions,
  podLimits,
  podRequests,
  reportsOtherResources
} from "./PodResources.ts"
export { computeQosClass, type QosOptions, qosClassOf } from "./Qos.ts"
export {
  addTaints,
  diffTaints,
  findTaint,
  formatTaint,
  hasTaint,
  hasTaintKey,
  isSameTaint,
  removeTaints,
  type TaintEffect,
  taintsWithEffect
} from "./Taint.ts"
export {
  findToleration,
  findUntoleratedTaint,
  matchingTolerations,
  minTolerationSeconds,
  toleratesTaint
} from "./Toleration.ts"

// Volumes: their claims and classes.

export { withTemplateGeneration } from "./defaulting/workloads.ts"
export { isVolumeOf } from "./volumes/claims.ts"
export {
  defaultStorageClassOf,
  hasStorageClassSet,
  isDefaultStorageClass,
  storageClassNameOf,
  waitsForConsumer
} from "./volumes/classes.ts"

// Maps in order of their keys, and JSON.

export { canonicalJson, escapeHtml, hasHtml } from "./json.ts"
export { sortedEntries } from "./sortedEntries.ts"

// Names that were meant.

export { didYouMean, nearest } from "./nearest.ts"
