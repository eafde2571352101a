/** Well-known names. Upstream: staging/src/k8s.io/api/core/v1/{well_known_labels,well_known_taints}.go. */

export const taintNotReady = "node.kubernetes.io/not-ready"
export const taintUnreachable = "node.kubernetes.io/unreachable"
export const taintUnschedulable = "node.kubernetes.io/unschedulable"
export const taintMemoryPressure = "node.kubernetes.io/memory-pressure"
export const taintDiskPressure = "node.kubernetes.io/disk-pressure"
export const taintPIDPressure = "node.kubernetes.io/pid-pressure"
export const taintNetworkUnavailable = "node.kubernetes.io/network-unavailable"
export const taintOutOfService = "node.kubernetes.io/out-of-service"
/** Set by a kubelet with an external cloud provider until the cloud controller has initialized the node. */
export const taintCloudUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"
/** Set by the cloud controller while the instance is shut down. */
export const taintCloudShutdown = "node.cloudprovider.kubernetes.io/shutdown"

export const labelHostname = "kubernetes.io/hostname"
export const labelOS = "kubernetes.io/os"
export const labelArch = "kubernetes.io/arch"
export const labelBetaOS = "beta.kubernetes.io/os"
export const labelBetaArch = "beta.kubernetes.io/arch"
export const labelInstanceType = "node.kubernetes.io/instance-type"
export const labelBetaInstanceType = "beta.kubernetes.io/instance-type"
export const labelZone = "topology.kubernetes.io/zone"
export const labelRegion = "topology.kubernetes.io/region"
export const labelBetaZone = "failure-domain.beta.kubernetes.io/zone"
export const labelBetaRegion = "failure-domain.beta.kubernetes.io/region"
/** Its presence excludes a node from the zone's counts; the value is ignored. */
export const labelExcludeDisruption = "node.kubernetes.io/exclude-disruption"
export const labelNamespaceName = "kubernetes.io/metadata.name"

export const annotationConfigSource = "kubernetes.io/config.source"
export const annotationConfigMirror = "kubernetes.io/config.mirror"
export const annotationConfigHash = "kubernetes.io/config.hash"
export const annotationConfigSeen = "kubernetes.io/config.seen"
export const annotationControllerManagedAttach = "volumes.kubernetes.io/controller-managed-attach-detach"
export const annotationProvidedNodeIP = "alpha.kubernetes.io/provided-node-ip"
/** The generation of a DaemonSet's template, a field of older versions. */
export const annotationTemplateGeneration = "deprecated.daemonset.template.generation"
/** The revision to which older versions rolled a Deployment back. */
export const annotationRollbackTo = "deprecated.deployment.rollback.to"
export const annotationPodDeletionCost = "controller.kubernetes.io/pod-deletion-cost"

/** The namespace of the kubelets' leases, which have their nodes' names. */
export const nodeLeaseNamespace = "kube-node-lease"
export const systemNamespace = "kube-system"
export const defaultNamespace = "default"

export const nodeReady = "Ready"

export const podScheduled = "PodScheduled"
export const podDisruptionTarget = "DisruptionTarget"

export const nodeUserPrefix = "system:node:"
export const nodesGroup = "system:nodes"

/** The priorities of the two built-in classes, and the lowest priority of a critical pod. */
export const systemCriticalPriority = 2_000_000_000
export const systemNodeCritical = { name: "system-node-critical", value: 2_000_001_000 } as const
export const systemClusterCritical = { name: "system-cluster-critical", value: 2_000_000_000 } as const
export const highestUserPriority = 1_000_000_000

/** The finalizers for the garbage collector. Upstream: apimachinery/pkg/apis/meta/v1/types.go. */
export const orphanFinalizer = "orphan"
export const foregroundFinalizer = "foregroundDeletion"
