import {
  type FeatureGates,
  findUntoleratedTaint,
  labelOS,
  type Node,
  type Pod,
  type Release,
  type ResourceList,
  reportsOtherResources,
  requiredNodes,
  type Taint
} from "@rollcall/api"
import { isStaticPod } from "../pod/PodPhase.ts"
import { arePortsInUse, hostPortsOf } from "./HostPorts.ts"
import { needsOnNode } from "./KnownResources.ts"
import type { PodRefusal } from "./PodAdmitHandler.ts"
import type { FitRules } from "./PodNeeds.ts"
import { haveRoom, type InsufficientResource, insufficientResources } from "./ResourceFit.ts"

/** A rule that a pod violates on this node. */
export interface PredicateFailure {
  readonly _tag: "PredicateFailure"
  readonly predicate: "NodeAffinity" | "NodeName" | "NodePorts" | "TaintToleration"
  readonly description: string
}

/** A resource that the node lacks, or a rule that the pod violates. */
export type AdmissionFailure = InsufficientResource | PredicateFailure

/** What the predicates of a release depend on. */
export type PredicateGates = Pick<
  FeatureGates,
  "DRAExtendedResource" | "PodLevelResources" | "SupplementalGroupsPolicy" | "TaintTolerationComparisonOperators"
> &
  FitRules

const failure = (predicate: PredicateFailure["predicate"], description: string): PredicateFailure => ({
  _tag: "PredicateFailure",
  predicate,
  description
})

const affinityMismatch = failure("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
const nodeNameMismatch = failure("NodeName", "node(s) didn't match the requested node name")
const portConflict = failure("NodePorts", "node(s) didn't have free ports for the requested pod ports")
const untoleratedTaint = failure("TaintToleration", "node(s) had taints that the pod didn't tolerate")

/** The refusal while there is no Node to check pods against. */
export const noNodeInfo: PodRefusal = { reason: "InvalidNodeInfo", message: "Kubelet cannot get node info." }

const osLabelMismatch: PodRefusal = {
  reason: "PodOSSelectorNodeLabelDoesNotMatch",
  message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
}
const unsupportedOS: PodRefusal = {
  reason: "PodOSNotSupported",
  message: "Failed to admit pod as the OS field doesn't match node OS"
}
const unsupportedGroupsPolicy: PodRefusal = {
  reason: "SupplementalGroupsPolicyNotSupported",
  message: "SupplementalGroupsPolicy=Strict is not supported in this node"
}

const rulesByGates = new WeakMap<FeatureGates, PredicateGates>()

/** Returns what the predicates depend on. Kubelets with the same feature gates share it. */
export const predicateGatesOf = (gates: FeatureGates, { podsFitBy }: Pick<Release, "podsFitBy">): PredicateGates => {
  const known = rulesByGates.get(gates)
  if (known !== undefined && known.podsFitBy === podsFitBy) return known
  const rules = { ...gates, podsFitBy }
  rulesByGates.set(gates, rules)
  return rules
}

/** Returns the Node as the predicates use it, with the machine's OS in its label. */
export const withCorrectOSLabel = (node: Node, operatingSystem: string): Node => {
  const { labels } = node.metadata
  // Upstream corrects the labels in place, which it cannot where there are none.
  if (labels === undefined || labels[labelOS] === operatingSystem || Object.keys(labels).length === 0) return node
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, [labelOS]: operatingSystem } } }
}

/**
 * Returns the refusal of a pod that no preemption could help, or undefined if it has no such fault: its own label
 * `kubernetes.io/os` (the label, not the selector), its OS field, or an unsupported policy of supplemental groups.
 */
export const unresolvableRefusal = (
  { metadata, spec }: Pod,
  node: Node,
  operatingSystem: string,
  gates: PredicateGates
): PodRefusal | undefined => {
  const label = metadata.labels?.[labelOS]
  if (label !== undefined && label !== operatingSystem) return osLabelMismatch
  if (spec.os !== undefined && spec.os.name !== operatingSystem) return unsupportedOS
  const strict = spec.securityContext?.supplementalGroupsPolicy === "Strict"
  if (strict && gates.SupplementalGroupsPolicy && node.status?.features?.supplementalGroupsPolicy !== true) {
    return unsupportedGroupsPolicy
  }
  return undefined
}

const isNoExecute = ({ effect }: Taint): boolean => effect === "NoExecute"

const untoleratedTaintOf = (pod: Pod, node: Node, gates: PredicateGates): Taint | undefined => {
  const operators = gates.TaintTolerationComparisonOperators
  return isStaticPod(pod)
    ? undefined
    : findUntoleratedTaint(node.spec?.taints, pod.spec.tolerations, isNoExecute, operators)
}

const isOtherNode = (nodeName: string | undefined, { metadata }: Node): boolean =>
  nodeName !== undefined && nodeName !== "" && nodeName !== metadata.name

const allocatableOf = ({ status }: Node, { podsFitBy }: FitRules): ResourceList | undefined =>
  podsFitBy === "limitsInCapacity" ? status?.capacity : status?.allocatable

/**
 * Whether `predicateFailures` finds nothing for any of the pods beside all others of them, in whatever order they come.
 * False for pods of which that is not obvious: those with host ports, and those that are being resized.
 */
export const fitTogether = (
  pods: ReadonlyArray<Pod>,
  node: Node,
  operatingSystem: string,
  gates: PredicateGates
): boolean =>
  pods.every(
    (pod) =>
      unresolvableRefusal(pod, node, operatingSystem, gates) === undefined &&
      !reportsOtherResources(pod) &&
      requiredNodes(pod.spec)?.(node) !== false &&
      !isOtherNode(pod.spec.nodeName, node) &&
      hostPortsOf(pod).length === 0 &&
      untoleratedTaintOf(pod, node, gates) === undefined
  ) && haveRoom(pods, allocatableOf(node, gates), gates)

/**
 * Returns all reasons why a pod does not fit a node: insufficient resources, then affinity, name, ports and NoExecute
 * taints. NoSchedule taints only concern the scheduler, and static pods ignore taints. Upstream:
 * pkg/kubelet/lifecycle/predicate.go generalFilter; pkg/scheduler AdmissionCheck.
 */
export const predicateFailures = (
  pod: Pod,
  node: Node,
  otherPods: ReadonlyArray<Pod>,
  gates: PredicateGates
): ReadonlyArray<AdmissionFailure> => {
  const { spec } = pod
  const allocatable = allocatableOf(node, gates)
  const failures: Array<AdmissionFailure> = [
    ...insufficientResources(needsOnNode(pod, allocatable, gates), otherPods, allocatable, gates)
  ]
  if (requiredNodes(spec)?.(node) === false) failures.push(affinityMismatch)
  if (isOtherNode(spec.nodeName, node)) failures.push(nodeNameMismatch)
  if (arePortsInUse(hostPortsOf(pod), otherPods)) failures.push(portConflict)
  if (untoleratedTaintOf(pod, node, gates) !== undefined) failures.push(untoleratedTaint)
  return failures
}

/** Whether only the node affinity fails: the API may have newer labels than the kubelet's cache. */
export const isOnlyAffinityMismatch = (failures: ReadonlyArray<AdmissionFailure>): boolean =>
  failures.length > 0 && failures.every((each) => each === affinityMismatch)

/** Returns the refusal for the first failure. */
export const refusalFor = (failures: ReadonlyArray<AdmissionFailure>): PodRefusal | undefined => {
  const [first] = failures
  if (first === undefined) return undefined
  if (first._tag === "PredicateFailure") {
    const { description, predicate } = first
    return { reason: predicate, message: `Predicate ${predicate} failed: ${description}` }
  }
  const { capacity, requested, resource, used } = first
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`
  }
}
