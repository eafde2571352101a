// The workload controllers.

export { layerCronJobs } from "./cronjob/layer.ts"
export { layerDaemonSets } from "./daemonset/layer.ts"
export { type DeploymentConfig, layerDeployments } from "./deployment/layer.ts"
export { layerJobs } from "./job/layer.ts"
export { layerTtlAfterFinished } from "./job/TtlAfterFinished.ts"
export type { ReplicaSetConfig } from "./replicaset/config.ts"
export { layerReplicaSets, layerReplicationControllers } from "./replicaset/layer.ts"
export { layerStatefulSets } from "./statefulset/layer.ts"

// HorizontalPodAutoscalers, and the source of their metrics.

export type { ApiAnswer, ReadApi } from "./autoscaling/apiReader.ts"
export { layerAutoscalers } from "./autoscaling/layer.ts"
export { MetricsSource, type MetricsSourceShape } from "./autoscaling/MetricsSource.ts"
export { type AutoscalerConfig, defaultAutoscalerConfig, type MetricRequest } from "./autoscaling/metrics.ts"

// Quotas.

export { defaultResourceQuotaConfig, layerResourceQuotas, type ResourceQuotaConfig } from "./quota/layer.ts"

// Claims of devices.

export { layerResourceClaims } from "./resourceclaims/layer.ts"

// Disruption budgets.

export type { BudgetedPod } from "./disruption/budgetStatus.ts"
export { layerDisruptions } from "./disruption/layer.ts"

// Certificates, and the tokens with which new nodes ask for theirs.

export type { SignDetached } from "./bootstrap/clusterInfo.ts"
export { layerBootstrapSigner, layerTokenCleaner } from "./bootstrap/controllers.ts"
export type { CertificateKeys, RequestNames, SigningAuthority, SigningTerms } from "./certificates/CertificateKeys.ts"
export {
  layerCertificateApproving,
  layerCertificateCleaner,
  layerCertificateSigning
} from "./certificates/controllers.ts"
export { type KubernetesSigner, kubernetesSigners } from "./certificates/requestRules.ts"

// Endpoints, roles, service accounts, namespaces and garbage.

export { layerClusterRoleAggregation } from "./clusterroles/ClusterRoleAggregation.ts"
export { layerEndpointSlices, layerEndpoints } from "./endpoints/layer.ts"
export { layerEndpointSliceMirroring } from "./endpoints/mirrorLayer.ts"
export { GarbageCollector, type GarbageCollectorOptions } from "./garbage/GarbageCollector.ts"
export { layerNamespaceController, type NamespaceControllerOptions } from "./namespace/NamespaceController.ts"
export { type CheckTypes, layerPolicyStatus } from "./policystatus/PolicyStatus.ts"
export { type AccountTokensConfig, isAccountToken, layerAccountTokens } from "./serviceaccount/AccountTokens.ts"
export {
  defaultLegacyTokensConfig,
  type LegacyTokensConfig,
  layerLegacyTokenCleaner
} from "./serviceaccount/LegacyTokenCleaner.ts"
export { layerRootCAPublisher } from "./serviceaccount/rootCAPublisher.ts"
export { layerServiceAccounts } from "./serviceaccount/ServiceAccounts.ts"
export { layerServiceCidrs } from "./servicecidr/ServiceCidrs.ts"

// Waiting for an object.

export { waitForObject } from "./waitForObject.ts"
