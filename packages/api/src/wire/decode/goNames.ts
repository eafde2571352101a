/**
 * Go's names of string types, by message and field: error messages contain them. A field not listed here is a plain
 * string. Upstream: staging/src/k8s.io/api (types.go of each group), apimachinery/pkg/apis/meta/v1/types.go.
 */
const names = `
Condition.status v1.ConditionStatus
Container.imagePullPolicy v1.PullPolicy
Container.restartPolicy v1.ContainerRestartPolicy
Container.terminationMessagePolicy v1.TerminationMessagePolicy
ContainerPort.protocol v1.Protocol
ContainerResizePolicy.resourceName v1.ResourceName
ContainerResizePolicy.restartPolicy v1.ResourceResizeRestartPolicy
ContainerRestartRule.action v1.ContainerRestartRuleAction
ContainerRestartRuleOnExitCodes.operator v1.ContainerRestartRuleOnExitCodesOperator
CronJobSpec.concurrencyPolicy v1.ConcurrencyPolicy
DaemonSetCondition.status v1.ConditionStatus
DaemonSetCondition.type v1.DaemonSetConditionType
DaemonSetUpdateStrategy.type v1.DaemonSetUpdateStrategyType
DeleteOptions.propagationPolicy v1.DeletionPropagation
DeploymentCondition.status v1.ConditionStatus
DeploymentCondition.type v1.DeploymentConditionType
DeploymentStrategy.type v1.DeploymentStrategyType
EmptyDirVolumeSource.medium v1.StorageMedium
EndpointPort.protocol v1.Protocol
EndpointSlice.addressType v1.AddressType
EphemeralContainer.imagePullPolicy v1.PullPolicy
EphemeralContainer.restartPolicy v1.ContainerRestartPolicy
EphemeralContainer.terminationMessagePolicy v1.TerminationMessagePolicy
FieldSelectorRequirement.operator v1.FieldSelectorOperator
FlowDistinguisherMethod.type v1.FlowDistinguisherMethodType
FlowSchemaCondition.status v1.ConditionStatus
FlowSchemaCondition.type v1.FlowSchemaConditionType
HTTPGetAction.scheme v1.URIScheme
HostPathVolumeSource.type v1.HostPathType
JobCondition.status v1.ConditionStatus
JobCondition.type v1.JobConditionType
JobSpec.completionMode v1.CompletionMode
JobSpec.podReplacementPolicy v1.PodReplacementPolicy
LabelSelectorRequirement.operator v1.LabelSelectorOperator
LeaseSpec.strategy v1.CoordinatedLeaseStrategy
Lifecycle.stopSignal v1.Signal
LimitResponse.type v1.LimitResponseType
ManagedFieldsEntry.operation v1.ManagedFieldsOperationType
NamespaceCondition.status v1.ConditionStatus
NamespaceCondition.type v1.NamespaceConditionType
NamespaceSpec.finalizers v1.FinalizerName
NamespaceStatus.phase v1.NamespacePhase
NodeAddress.type v1.NodeAddressType
NodeCondition.status v1.ConditionStatus
NodeCondition.type v1.NodeConditionType
NodeSelectorRequirement.operator v1.NodeSelectorOperator
NodeStatus.phase v1.NodePhase
NodeStatus.volumesInUse v1.UniqueVolumeName
AttachedVolume.name v1.UniqueVolumeName
ObjectMeta.uid types.UID
ObjectReference.uid types.UID
OwnerReference.uid types.UID
Preconditions.uid types.UID
PersistentVolumeClaimSpec.accessModes v1.PersistentVolumeAccessMode
PersistentVolumeClaimSpec.volumeMode v1.PersistentVolumeMode
PersistentVolumeClaimStatus.accessModes v1.PersistentVolumeAccessMode
PersistentVolumeClaimStatus.phase v1.PersistentVolumeClaimPhase
PersistentVolumeSpec.accessModes v1.PersistentVolumeAccessMode
PersistentVolumeSpec.persistentVolumeReclaimPolicy v1.PersistentVolumeReclaimPolicy
PersistentVolumeSpec.volumeMode v1.PersistentVolumeMode
PersistentVolumeStatus.phase v1.PersistentVolumePhase
PodCondition.status v1.ConditionStatus
PodCondition.type v1.PodConditionType
PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy v1.UnhealthyPodEvictionPolicyType
PodReadinessGate.conditionType v1.PodConditionType
PodSecurityContext.fsGroupChangePolicy v1.PodFSGroupChangePolicy
PodSecurityContext.supplementalGroupsPolicy v1.SupplementalGroupsPolicy
PodSpec.dnsPolicy v1.DNSPolicy
PodSpec.preemptionPolicy v1.PreemptionPolicy
PodSpec.restartPolicy v1.RestartPolicy
PodOS.name v1.OSName
PodStatus.phase v1.PodPhase
PodStatus.qosClass v1.PodQOSClass
PodStatus.resize v1.PodResizeStatus
PriorityClass.preemptionPolicy v1.PreemptionPolicy
PriorityLevelConfigurationCondition.status v1.ConditionStatus
PriorityLevelConfigurationCondition.type v1.PriorityLevelConfigurationConditionType
PriorityLevelConfigurationSpec.type v1.PriorityLevelEnablement
ReplicaSetCondition.status v1.ConditionStatus
ReplicaSetCondition.type v1.ReplicaSetConditionType
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
StatefulSetSpec.podManagementPolicy v1.PodManagementPolicyType
StatefulSetUpdateStrategy.type v1.StatefulSetUpdateStrategyType
Status.reason v1.StatusReason
StatusCause.reason v1.CauseType
StatusDetails.uid types.UID
StorageClass.reclaimPolicy v1.PersistentVolumeReclaimPolicy
StorageClass.volumeBindingMode v1.VolumeBindingMode
Taint.effect v1.TaintEffect
Toleration.effect v1.TaintEffect
Toleration.operator v1.TolerationOperator
TopologySpreadConstraint.nodeAffinityPolicy v1.NodeInclusionPolicy
TopologySpreadConstraint.nodeTaintsPolicy v1.NodeInclusionPolicy
TopologySpreadConstraint.whenUnsatisfiable v1.UnsatisfiableConstraintAction
VolumeMount.mountPropagation v1.MountPropagationMode
VolumeMount.recursiveReadOnly v1.RecursiveReadOnlyMode
`

let byField: ReadonlyMap<string, string> | undefined

/** Returns Go's name of the string type of a field, or of the elements of a list of strings. */
export const goStringName = (message: string, field: string): string => {
  byField ??= new Map(
    names
      .trim()
      .split("\n")
      .map((line) => line.split(" ") as [string, string])
  )
  return byField.get(`${message}.${field}`) ?? "string"
}
