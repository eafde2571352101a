const known: ReadonlySet<string> = new Set([
  "AppArmor",
  "PodOSSelectorNodeLabelDoesNotMatch",
  "PodOSNotSupported",
  "InvalidNodeInfo",
  "InitContainerRestartPolicyForbidden",
  "SupplementalGroupsPolicyNotSupported",
  "UnexpectedAdmissionError",
  "UnknownReason",
  "UnexpectedPredicateFailureType",
  "OutOfcpu",
  "OutOfmemory",
  "OutOfephemeral-storage",
  "OutOfpods",
  // The message is used as reason here: upstream counts TaintToleration as Other.
  "node(s) had taints that the pod didn't tolerate",
  "Evicted",
  "SysctlForbidden",
  "TopologyAffinityError",
  "NodeShutdown"
])

/**
 * Returns the `reason` label of `kubelet_admission_rejections_total` for a refusal. The set of labels is bounded,
 * because resources of other names share one. Upstream: pkg/kubelet/allocation/allocation_manager.go
 * recordAdmissionRejection.
 */
export const rejectionLabel = (reason: string): string =>
  known.has(reason) ? reason : reason.startsWith("OutOf") ? "OutOfExtendedResources" : "Other"
