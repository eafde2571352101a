import {
  type FeatureGates,
  findUntoleratedTaint,
  labelOS,
  type Node,
  type Pod,
  requiredNodes,
  type Taint
} from "@rollcall/api"
import { isStaticPod } from "../pod/PodPhase.ts"
import { hostPortsOf, portsTaken } from "./HostPorts.ts"
import { needsOnNode } from "./KnownResources.ts"
import type { PodRefusal } from "./PodAdmitHandler.ts"
import type { FitRules } from "./PodNeeds.ts"
import { type InsufficientResource, insufficientResources } from "./ResourceFit.ts"

/** A rule that a pod violates on this node. */
export interface PredicateFailure {
  readonly _tag: "PredicateFailure"
  readonly predicate: "NodeAffinity" | "NodeName" | "NodePorts" | "TaintToleration"
  readonly description: string
}

export type AdmissionFailure = InsufficientResource | PredicateFailure

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

const wrongNode = failure("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
const wrongName = failure("NodeName", "node(s) didn't match the requested node name")
const portTaken = failure("NodePorts", "node(s) didn't have free ports for the requested pod ports")
const untolerated = failure("TaintToleration", "node(s) had taints that the pod didn't tolerate")

export const noNodeInfo: PodRefusal = { reason: "InvalidNodeInfo", message: "Kubelet cannot get node info." }

const wrongOSLabel: PodRefusal = {
  reason: "PodOSSelectorNodeLabelDoesNotMatch",
  message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
}
const wrongOS: PodRefusal = {
  reason: "PodOSNotSupported",
  message: "Failed to admit pod as the OS field doesn't match node OS"
}
const strictGroups: PodRefusal = {
  reason: "SupplementalGroupsPolicyNotSupported",
  message: "SupplementalGroupsPolicy=Strict is not supported in this node"
}

/** The Node as the predicates use it: an OS label other than the machine's OS is corrected. */
export const withTrueOS = (node: Node, operatingSystem: string): Node => {
  const { labels } = node.metadata
  // Upstream corrects the labels in place, which it cannot where there are none.
  if (labels === undefined || labels[labelOS] === operatingSystem || Object.keys(labels).length === 0) return node
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, [labelOS]: operatingSystem } } }
}

/**
 * Failures that no preemption can resolve: the pod's own label `kubernetes.io/os` (the label, not the selector), its
 * OS field, and an unsupported policy of supplemental groups.
 */
export const unresolvableOn = (
  { metadata, spec }: Pod,
  node: Node,
  operatingSystem: string,
  gates: PredicateGates
): PodRefusal | undefined => {
  const label = metadata.labels?.[labelOS]
  if (label !== undefined && label !== operatingSystem) return wrongOSLabel
  if (spec.os !== undefined && spec.os.name !== operatingSystem) return wrongOS
  const strict = spec.securityContext?.supplementalGroupsPolicy === "Strict"
  if (strict && gates.SupplementalGroupsPolicy && node.status?.features?.supplementalGroupsPolicy !== true) {
    return strictGroups
  }
  return undefined
}

const isNoExecute = ({ effect }: Taint): boolean => effect === "NoExecute"

/**
 * All reasons why a pod does not fit a node: insufficient resources, then affinity, name, ports and NoExecute taints
 * (NoSchedule only concerns the scheduler; static pods ignore taints). Upstream: pkg/kubelet/lifecycle/predicate.go
 * generalFilter; pkg/scheduler AdmissionCheck.
 */
export const predicateFailures = (
  pod: Pod,
  node: Node,
  otherPods: ReadonlyArray<Pod>,
  gates: PredicateGates
): ReadonlyArray<AdmissionFailure> => {
  const { spec } = pod
  const allocatable = gates.podsFitBy === "limitsInCapacity" ? node.status?.capacity : node.status?.allocatable
  const failures: Array<AdmissionFailure> = [
    ...insufficientResources(needsOnNode(pod, allocatable, gates), otherPods, allocatable, gates)
  ]
  if (requiredNodes(spec)?.(node) === false) failures.push(wrongNode)
  const { nodeName = "" } = spec
  if (nodeName !== "" && nodeName !== node.metadata.name) failures.push(wrongName)
  if (portsTaken(hostPortsOf(pod), otherPods)) failures.push(portTaken)
  if (!isStaticPod(pod)) {
    const operators = gates.TaintTolerationComparisonOperators
    const taint = findUntoleratedTaint(node.spec?.taints, spec.tolerations, isNoExecute, operators)
    if (taint !== undefined) failures.push(untolerated)
  }
  return failures
}

/** Whether only the node's labels fail: the API may have newer ones than the kubelet's cache. */
export const isAffinityAlone = (failures: ReadonlyArray<AdmissionFailure>): boolean =>
  failures.length > 0 && failures.every((one) => one === wrongNode)

/** The refusal for the first failure. */
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
