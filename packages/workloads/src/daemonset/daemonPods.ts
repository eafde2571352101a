import {
  type DaemonSet,
  findUntoleratedTaint,
  type Node,
  type PodSpec,
  requiredNodes,
  type Toleration,
  taintDiskPressure,
  taintMemoryPressure,
  taintNetworkUnavailable,
  taintNotReady,
  taintPIDPressure,
  taintUnreachable,
  taintUnschedulable
} from "@rollcall/api"

const existsToleration = (key: string, effect: "NoExecute" | "NoSchedule"): Toleration => ({
  key,
  operator: "Exists",
  effect
})

/** The tolerations that every daemon pod gets. */
const addedTolerations: ReadonlyArray<Toleration> = [
  existsToleration(taintNotReady, "NoExecute"),
  existsToleration(taintUnreachable, "NoExecute"),
  existsToleration(taintDiskPressure, "NoSchedule"),
  existsToleration(taintMemoryPressure, "NoSchedule"),
  existsToleration(taintPIDPressure, "NoSchedule"),
  existsToleration(taintUnschedulable, "NoSchedule")
]

const isEqualToleration = (left: Toleration, right: Toleration): boolean =>
  (left.key ?? "") === (right.key ?? "") &&
  (left.operator ?? "") === (right.operator ?? "") &&
  (left.value ?? "") === (right.value ?? "") &&
  (left.effect ?? "") === (right.effect ?? "")

/** Adds a toleration, or replaces an equal one. Upstream: AddOrUpdateTolerationInPodSpec. */
const withToleration = (tolerations: ReadonlyArray<Toleration>, wanted: Toleration): ReadonlyArray<Toleration> => {
  const equal = tolerations.find((toleration) => isEqualToleration(toleration, wanted))
  if (equal === undefined) return [...tolerations, wanted]
  // If the first equal one has no tolerationSeconds, the list stays as it is, whatever follows.
  if (equal.tolerationSeconds === undefined) return tolerations
  return tolerations.map((toleration) => (isEqualToleration(toleration, wanted) ? wanted : toleration))
}

/**
 * The tolerations of a daemon pod: its template's, and those that keep it on unhealthy nodes. One of the template with
 * the same key, operator, value and effect is replaced in place, so its tolerationSeconds are lost.
 * Upstream: pkg/controller/daemon/util/daemonset_util.go AddOrUpdateDaemonPodTolerations.
 */
export const daemonTolerations = ({ hostNetwork, tolerations = [] }: PodSpec): ReadonlyArray<Toleration> => {
  const wanted =
    hostNetwork === true
      ? [...addedTolerations, existsToleration(taintNetworkUnavailable, "NoSchedule")]
      : addedTolerations
  return wanted.reduce(withToleration, tolerations)
}

/** Whether a DaemonSet may run on a node. */
export interface DaemonEligibility {
  /** Whether to create a pod on the node. */
  readonly shouldRun: boolean
  /** Whether an existing pod may stay. */
  readonly shouldContinueRunning: boolean
}

/**
 * Returns a function that says whether a DaemonSet may run on a node. What is common to all nodes is computed once.
 * Upstream: pkg/controller/daemon/daemon_controller.go NodeShouldRunDaemonPod.
 */
export const daemonEligibilities = ({ spec: { template } }: DaemonSet): ((node: Node) => DaemonEligibility) => {
  const matches = requiredNodes(template.spec) ?? (() => true)
  const tolerations = daemonTolerations(template.spec)
  return (node) => eligibilityBy(template.spec.nodeName ?? "", matches, tolerations, node)
}

const notEligible: DaemonEligibility = { shouldRun: false, shouldContinueRunning: false }
const eligible: DaemonEligibility = { shouldRun: true, shouldContinueRunning: true }

const eligibilityBy = (
  nodeName: string,
  matches: (node: Node) => boolean,
  tolerations: ReadonlyArray<Toleration>,
  node: Node
): DaemonEligibility => {
  if ((nodeName !== "" && nodeName !== node.metadata.name) || !matches(node)) return notEligible
  const taints = node.spec?.taints
  if (taints === undefined || taints.length === 0) return eligible
  const untolerated = (...effects: ReadonlyArray<string>) =>
    findUntoleratedTaint(taints, tolerations, ({ effect }) => effects.includes(effect)) !== undefined
  return { shouldRun: !untolerated("NoSchedule", "NoExecute"), shouldContinueRunning: !untolerated("NoExecute") }
}
