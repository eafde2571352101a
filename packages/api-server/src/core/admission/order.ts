import type { ChainPlugin } from "./Admission.ts"

/** The names of all plugins in the order in which they run. Upstream: pkg/kubeapiserver/options/plugins.go. */
const order = (
  "AlwaysAdmit NamespaceAutoProvision NamespaceLifecycle NamespaceExists LimitPodHardAntiAffinityTopology LimitRanger " +
  "ServiceAccount NodeRestriction TaintNodesByCondition AlwaysPullImages ImagePolicyWebhook PodSecurity PodNodeSelector " +
  "Priority DefaultTolerationSeconds PodTolerationRestriction EventRateLimit ExtendedResourceToleration " +
  "DefaultStorageClass StorageObjectInUseProtection PodGroupProtection OwnerReferencesPermissionEnforcement " +
  "PersistentVolumeClaimResize RuntimeClass CertificateApproval CertificateSigning ClusterTrustBundleAttest " +
  "CertificateSubjectRestriction DefaultIngressClass DenyServiceExternalIPs PodTopologyLabels PodGroupWorkloadExists " +
  "NodeDeclaredFeatureValidator JobValidation PodResizeValidator MutatingAdmissionPolicy MutatingAdmissionWebhook " +
  "ValidatingAdmissionPolicy ValidatingAdmissionWebhook ResourceQuota AlwaysDeny"
).split(" ")

const placeOf = ({ name }: ChainPlugin): number => {
  const place = order.indexOf(name)
  return place < 0 ? order.length : place
}

/** Returns the plugins in Kubernetes' order; those that it does not have come last, in their own order. */
export const inOrder = (plugins: ReadonlyArray<ChainPlugin>): ReadonlyArray<ChainPlugin> =>
  plugins.toSorted((left, right) => placeOf(left) - placeOf(right))
