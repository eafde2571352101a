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

const exists = (key: string, effect: "NoExecute" | "NoSchedule"): Toleration => ({ key, operator: "Exists", effect })

const added: ReadonlyArray<Toleration> = [
  exists(taintNotReady, "NoExecute"),
  exists(taintUnreachable, "NoExecute"),
  exists(taintDiskPressure, "NoSchedule"),
  exists(taintMemoryPressure, "NoSchedule"),
  exists(taintPIDPressure, "NoSchedule"),
  exists(taintUnschedulable, "NoSchedule")
]

const isSame = (left: Toleration, right: Toleration): boolean =>
  (left.key ?? "") === (right.key ?? "") &&
  (left.operator ?? "") === (right.operator ?? "") &&
  (left.value ?? "") === (right.value ?? "") &&
  (left.effect ?? "") === (right.effect ?? "")

/** Adds a toleration, or replaces an equal one. Upstream: AddOrUpdateTolerationInPodSpec. */
const withToleration = (own: ReadonlyArray<Toleration>, wanted: Toleration): ReadonlyArray<Toleration> => {
  const first = own.find((toleration) => isSame(toleration, wanted))
  if (first === undefined) return [...own, wanted]
  // An equal one leaves the list unchanged, whatever follows it.
  if (first.tolerationSeconds === undefined) return own
  return own.map((toleration) => (isSame(toleration, wanted) ? wanted : toleration))
}

/**
 * The tolerations of a daemon pod: its template's, and those that keep it on unhealthy nodes. One of the template with
 * the same key, operator, value and effect is replaced in place, so its tolerationSeconds are lost.
 * Upstream: pkg/controller/daemon/util/daemonset_util.go AddOrUpdateDaemonPodTolerations.
 */
export const daemonTolerations = ({ hostNetwork, tolerations = [] }: PodSpec): ReadonlyArray<Toleration> => {
  const wanted = hostNetwork === true ? [...added, exists(taintNetworkUnavailable, "NoSchedule")] : added
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

const nowhere: DaemonEligibility = { shouldRun: false, shouldContinueRunning: false }
const anywhere: DaemonEligibility = { shouldRun: true, shouldContinueRunning: true }

const eligibilityBy = (
  nodeName: string,
  matches: (node: Node) => boolean,
  tolerations: ReadonlyArray<Toleration>,
  node: Node
): DaemonEligibility => {
  if ((nodeName !== "" && nodeName !== node.metadata.name) || !matches(node)) return nowhere
  const taints = node.spec?.taints
  if (taints === undefined || taints.length === 0) return anywhere
  const untolerated = (...effects: ReadonlyArray<string>) =>
    findUntoleratedTaint(taints, tolerations, ({ effect }) => effects.includes(effect)) !== undefined
  return { shouldRun: !untolerated("NoSchedule", "NoExecute"), shouldContinueRunning: !untolerated("NoExecute") }
}
