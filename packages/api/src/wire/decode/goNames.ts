import type { MessageType } from "../WireType.ts"

/**
 * Go's names of string types, by message and field: error messages contain them. A field not listed here is a plain
 * string. The types of maps and lists with a name of their own, or of such keys, follow `{}` and `[]`. A star stands for the package of the message. Upstream: staging/src/k8s.io/api (types.go of each group), apimachinery/pkg/apis/meta/v1/types.go.
 */
const names = `
APIServiceCondition.status v1.ConditionStatus
APIServiceCondition.type v1.APIServiceConditionType
AppArmorProfile.type v1.AppArmorProfileType
AttachedVolume.name v1.UniqueVolumeName
AzureDiskVolumeSource.cachingMode v1.AzureDataDiskCachingMode
AzureDiskVolumeSource.kind v1.AzureDataDiskKind
BoundObjectReference.uid types.UID
CSIDriverSpec.fsGroupPolicy v1.FSGroupPolicy
CSIDriverSpec.volumeLifecycleModes v1.VolumeLifecycleMode
Capabilities.add v1.Capability
Capabilities.drop v1.Capability
CapacityRequirements.requests{} map[v1.QualifiedName]resource.Quantity
CertificateSigningRequestCondition.status v1.ConditionStatus
CertificateSigningRequestCondition.type v1.RequestConditionType
CertificateSigningRequestSpec.extra[] v1.ExtraValue
CertificateSigningRequestSpec.extra{} map[string]v1.ExtraValue
CertificateSigningRequestSpec.usages v1.KeyUsage
ComponentCondition.status v1.ConditionStatus
ComponentCondition.type v1.ComponentConditionType
Condition.status v1.ConditionStatus
ConfigMapNodeConfigSource.uid types.UID
Container.imagePullPolicy v1.PullPolicy
Container.restartPolicy v1.ContainerRestartPolicy
Container.terminationMessagePolicy v1.TerminationMessagePolicy
ContainerPort.protocol v1.Protocol
ContainerResizePolicy.resourceName v1.ResourceName
ContainerResizePolicy.restartPolicy v1.ResourceResizeRestartPolicy
ContainerResourceMetricSource.name v1.ResourceName
ContainerResourceMetricStatus.name v1.ResourceName
ContainerRestartRule.action v1.ContainerRestartRuleAction
ContainerRestartRuleOnExitCodes.operator v1.ContainerRestartRuleOnExitCodesOperator
ContainerStatus.stopSignal v1.Signal
ConversionRequest.uid types.UID
ConversionResponse.uid types.UID
CronJobSpec.concurrencyPolicy v1.ConcurrencyPolicy
CustomResourceConversion.strategy v1.ConversionStrategyType
CustomResourceDefinitionCondition.status v1.ConditionStatus
CustomResourceDefinitionCondition.type v1.CustomResourceDefinitionConditionType
CustomResourceDefinitionSpec.scope v1.ResourceScope
DaemonSetCondition.status v1.ConditionStatus
DaemonSetCondition.type v1.DaemonSetConditionType
DaemonSetUpdateStrategy.type v1.DaemonSetUpdateStrategyType
DeleteOptions.propagationPolicy v1.DeletionPropagation
DeploymentCondition.status v1.ConditionStatus
DeploymentCondition.type v1.DeploymentConditionType
DeploymentStrategy.type v1.DeploymentStrategyType
Device.attributes{} map[v1.QualifiedName]v1.DeviceAttribute
Device.capacity{} map[v1.QualifiedName]v1.DeviceCapacity
Device.nodeAllocatableResourceMappings{} map[v1.ResourceName]v1.NodeAllocatableResourceMapping
DeviceAllocationConfiguration.source v1.AllocationConfigSource
DeviceConstraint.distinctAttribute v1.FullyQualifiedName
DeviceConstraint.matchAttribute v1.FullyQualifiedName
DeviceRequestAllocationResult.consumedCapacity{} map[v1.QualifiedName]resource.Quantity
DeviceRequestAllocationResult.shareID types.UID
DeviceSubRequest.allocationMode v1.DeviceAllocationMode
DeviceTaint.effect v1.DeviceTaintEffect
DeviceToleration.effect v1.DeviceTaintEffect
DeviceToleration.operator v1.DeviceTolerationOperator
EmptyDirVolumeSource.medium v1.StorageMedium
EndpointPort.protocol v1.Protocol
EndpointSlice.addressType v1.AddressType
EphemeralContainer.imagePullPolicy v1.PullPolicy
EphemeralContainer.restartPolicy v1.ContainerRestartPolicy
EphemeralContainer.terminationMessagePolicy v1.TerminationMessagePolicy
ExactDeviceRequest.allocationMode v1.DeviceAllocationMode
FieldSelectorRequirement.operator v1.FieldSelectorOperator
FlowDistinguisherMethod.type v1.FlowDistinguisherMethodType
FlowSchemaCondition.status v1.ConditionStatus
FlowSchemaCondition.type v1.FlowSchemaConditionType
HPAScalingPolicy.type v2.HPAScalingPolicyType
HPAScalingRules.selectPolicy v2.ScalingPolicySelect
HTTPGetAction.scheme v1.URIScheme
HTTPIngressPath.pathType v1.PathType
HorizontalPodAutoscalerCondition.status v1.ConditionStatus
HorizontalPodAutoscalerCondition.type *.HorizontalPodAutoscalerConditionType
HostPathVolumeSource.type v1.HostPathType
ImageVolumeSource.pullPolicy v1.PullPolicy
IngressPortStatus.protocol v1.Protocol
JSONSchemaProps.$schema v1.JSONSchemaURL
JSONSchemaProps.definitions{} v1.JSONSchemaDefinitions
JSONSchemaProps.dependencies{} v1.JSONSchemaDependencies
JSONSchemaProps.x-kubernetes-validations[] v1.ValidationRules
JobCondition.status v1.ConditionStatus
JobCondition.type v1.JobConditionType
JobSpec.completionMode v1.CompletionMode
JobSpec.podReplacementPolicy v1.PodReplacementPolicy
LabelSelectorRequirement.operator v1.LabelSelectorOperator
LeaseSpec.strategy v1.CoordinatedLeaseStrategy
Lifecycle.stopSignal v1.Signal
LimitRangeItem.type v1.LimitType
LimitResponse.type v1.LimitResponseType
ListOptions.resourceVersionMatch v1.ResourceVersionMatch
LoadBalancerIngress.ipMode v1.LoadBalancerIPMode
ManagedFieldsEntry.operation v1.ManagedFieldsOperationType
MatchResources.matchPolicy v1.MatchPolicyType
MetricSpec.type *.MetricSourceType
MetricStatus.type *.MetricSourceType
MetricTarget.type v2.MetricTargetType
ModifyVolumeStatus.status v1.PersistentVolumeClaimModifyVolumeStatus
MutatingAdmissionPolicySpec.failurePolicy v1.FailurePolicyType
MutatingAdmissionPolicySpec.reinvocationPolicy v1.ReinvocationPolicyType
MutatingWebhook.failurePolicy v1.FailurePolicyType
MutatingWebhook.matchPolicy v1.MatchPolicyType
MutatingWebhook.reinvocationPolicy v1.ReinvocationPolicyType
MutatingWebhook.sideEffects v1.SideEffectClass
Mutation.patchType v1.PatchType
NamedRuleWithOperations.operations v1.OperationType
NamedRuleWithOperations.scope v1.ScopeType
NamespaceCondition.status v1.ConditionStatus
NamespaceCondition.type v1.NamespaceConditionType
NamespaceSpec.finalizers v1.FinalizerName
NamespaceStatus.phase v1.NamespacePhase
NetworkPolicyPort.protocol v1.Protocol
NetworkPolicySpec.policyTypes v1.PolicyType
NodeAddress.type v1.NodeAddressType
NodeAllocatableResourceClaimStatus.resources{} map[v1.ResourceName]resource.Quantity
NodeAllocatableResourceMapping.capacityKey v1.QualifiedName
NodeCondition.status v1.ConditionStatus
NodeCondition.type v1.NodeConditionType
NodeSelectorRequirement.operator v1.NodeSelectorOperator
NodeStatus.phase v1.NodePhase
NodeStatus.volumesInUse v1.UniqueVolumeName
ObjectMeta.uid types.UID
ObjectReference.uid types.UID
OwnerReference.uid types.UID
ParamRef.parameterNotFoundAction v1.ParameterNotFoundActionType
PersistentVolumeClaimCondition.status v1.ConditionStatus
PersistentVolumeClaimCondition.type v1.PersistentVolumeClaimConditionType
PersistentVolumeClaimSpec.accessModes v1.PersistentVolumeAccessMode
PersistentVolumeClaimSpec.volumeMode v1.PersistentVolumeMode
PersistentVolumeClaimStatus.accessModes v1.PersistentVolumeAccessMode
PersistentVolumeClaimStatus.allocatedResourceStatuses v1.ClaimResourceStatus
PersistentVolumeClaimStatus.allocatedResourceStatuses{} map[v1.ResourceName]v1.ClaimResourceStatus
PersistentVolumeClaimStatus.phase v1.PersistentVolumeClaimPhase
PersistentVolumeSpec.accessModes v1.PersistentVolumeAccessMode
PersistentVolumeSpec.persistentVolumeReclaimPolicy v1.PersistentVolumeReclaimPolicy
PersistentVolumeSpec.volumeMode v1.PersistentVolumeMode
PersistentVolumeStatus.phase v1.PersistentVolumePhase
PodCondition.status v1.ConditionStatus
PodCondition.type v1.PodConditionType
PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy v1.UnhealthyPodEvictionPolicyType
PodFailurePolicyOnExitCodesRequirement.operator v1.PodFailurePolicyOnExitCodesOperator
PodFailurePolicyOnPodConditionsPattern.status v1.ConditionStatus
PodFailurePolicyOnPodConditionsPattern.type v1.PodConditionType
PodFailurePolicyRule.action v1.PodFailurePolicyAction
PodOS.name v1.OSName
PodReadinessGate.conditionType v1.PodConditionType
PodSecurityContext.fsGroupChangePolicy v1.PodFSGroupChangePolicy
PodSecurityContext.seLinuxChangePolicy v1.PodSELinuxChangePolicy
PodSecurityContext.supplementalGroupsPolicy v1.SupplementalGroupsPolicy
PodSpec.dnsPolicy v1.DNSPolicy
PodSpec.preemptionPolicy v1.PreemptionPolicy
PodSpec.restartPolicy v1.RestartPolicy
PodStatus.phase v1.PodPhase
PodStatus.qosClass v1.PodQOSClass
PodStatus.resize v1.PodResizeStatus
PortStatus.protocol v1.Protocol
Preconditions.uid types.UID
PriorityClass.preemptionPolicy v1.PreemptionPolicy
PriorityLevelConfigurationCondition.status v1.ConditionStatus
PriorityLevelConfigurationCondition.type v1.PriorityLevelConfigurationConditionType
PriorityLevelConfigurationSpec.type v1.PriorityLevelEnablement
ReplicaSetCondition.status v1.ConditionStatus
ReplicaSetCondition.type v1.ReplicaSetConditionType
ReplicationControllerCondition.status v1.ConditionStatus
ReplicationControllerCondition.type v1.ReplicationControllerConditionType
ResourceClaimConsumerReference.uid types.UID
ResourceHealth.health v1.ResourceHealthStatus
ResourceHealth.resourceID v1.ResourceID
ResourceMetricSource.name v1.ResourceName
ResourceMetricStatus.name v1.ResourceName
ResourceQuotaSpec.scopes v1.ResourceQuotaScope
ResourceStatus.name v1.ResourceName
Rule.scope v1.ScopeType
RuleWithOperations.operations v1.OperationType
RuleWithOperations.scope v1.ScopeType
ScopedResourceSelectorRequirement.operator v1.ScopeSelectorOperator
ScopedResourceSelectorRequirement.scopeName v1.ResourceQuotaScope
SeccompProfile.type v1.SeccompProfileType
Secret.type v1.SecretType
SecurityContext.procMount v1.ProcMountType
ServicePort.protocol v1.Protocol
ServiceSpec.externalTrafficPolicy v1.ServiceExternalTrafficPolicy
ServiceSpec.internalTrafficPolicy v1.ServiceInternalTrafficPolicy
ServiceSpec.ipFamilies v1.IPFamily
ServiceSpec.ipFamilyPolicy v1.IPFamilyPolicy
ServiceSpec.sessionAffinity v1.ServiceAffinity
ServiceSpec.type v1.ServiceType
StatefulSetCondition.status v1.ConditionStatus
StatefulSetCondition.type v1.StatefulSetConditionType
StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted v1.PersistentVolumeClaimRetentionPolicyType
StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled v1.PersistentVolumeClaimRetentionPolicyType
StatefulSetSpec.podManagementPolicy v1.PodManagementPolicyType
StatefulSetUpdateStrategy.type v1.StatefulSetUpdateStrategyType
Status.reason v1.StatusReason
StatusCause.reason v1.CauseType
StatusDetails.uid types.UID
StorageClass.reclaimPolicy v1.PersistentVolumeReclaimPolicy
StorageClass.volumeBindingMode v1.VolumeBindingMode
SubjectAccessReviewSpec.extra[] v1.ExtraValue
SubjectAccessReviewSpec.extra{} map[string]v1.ExtraValue
TableOptions.includeObject v1.IncludeObjectPolicy
TableRowCondition.status v1.ConditionStatus
TableRowCondition.type v1.RowConditionType
Taint.effect v1.TaintEffect
Toleration.effect v1.TaintEffect
Toleration.operator v1.TolerationOperator
TopologySpreadConstraint.nodeAffinityPolicy v1.NodeInclusionPolicy
TopologySpreadConstraint.nodeTaintsPolicy v1.NodeInclusionPolicy
TopologySpreadConstraint.whenUnsatisfiable v1.UnsatisfiableConstraintAction
UncountedTerminatedPods.failed types.UID
UncountedTerminatedPods.succeeded types.UID
UserInfo.extra[] v1.ExtraValue
UserInfo.extra{} map[string]v1.ExtraValue
ValidatingAdmissionPolicyBindingSpec.validationActions v1.ValidationAction
ValidatingAdmissionPolicySpec.failurePolicy v1.FailurePolicyType
ValidatingWebhook.failurePolicy v1.FailurePolicyType
ValidatingWebhook.matchPolicy v1.MatchPolicyType
ValidatingWebhook.sideEffects v1.SideEffectClass
Validation.reason v1.StatusReason
ValidationRule.reason v1.FieldValueErrorReason
VolumeMount.mountPropagation v1.MountPropagationMode
VolumeMount.recursiveReadOnly v1.RecursiveReadOnlyMode
VolumeMountStatus.recursiveReadOnly v1.RecursiveReadOnlyMode
io.k8s.api.flowcontrol.v1.Subject.kind v1.SubjectKind
`

let byField: ReadonlyMap<string, string> | undefined

const nameOf = (message: MessageType | undefined, field: string): string | undefined => {
  byField ??= new Map(
    names
      .trim()
      .split("\n")
      .map((line) => line.split(" ") as [string, string])
  )
  if (message === undefined) return undefined
  const { fullName, goPackage, name } = message
  return (byField.get(`${fullName}.${field}`) ?? byField.get(`${name}.${field}`))?.replace("*", goPackage)
}

/**
 * Returns Go's name of the type of a field, or of what the map or list there holds, which is `into` unless it has a name
 * of its own. Where messages of two groups have one name, the full one is listed.
 */
export const goFieldName = (message: MessageType | undefined, field: string, into: string): string => {
  const isMap = into.startsWith("map[") || into === "v1.ResourceList"
  if (isMap) return nameOf(message, `${field}{}`) ?? into
  const listed = into.startsWith("[]") ? nameOf(message, `${field}[]`) : undefined
  if (listed !== undefined || (into !== "string" && into !== "[]string")) return listed ?? into
  return into.replace("string", nameOf(message, field) ?? "string")
}
