import {
  type DaemonSet,
  defaultPod,
  getControllerOf,
  isPodReady,
  matchesLabelSelector,
  type Pod,
  type PodDisruptionBudget,
  parseTime,
  systemClusterCritical,
  systemNodeCritical
} from "@rollcall/api"
import type { ClusterSnapshot } from "@rollcall/drain"
import type { BudgetedPod } from "@rollcall/workloads"
import { budgetStatus } from "@rollcall/workloads/rules"
import type { ClusterObjects } from "../cluster/ClusterObjects.ts"
import { standInOf } from "../outsideOwners.ts"

/** Makes a function that applies the API's defaults and priorities to a pod. A pod that was read from the API has them already. */
const makeWithDefaults = (objects: ClusterObjects): ((pod: Pod) => Pod) => {
  const classes = objects.of("PriorityClass")
  const defaultPriority = classes.find(({ globalDefault }) => globalDefault === true)?.value ?? 0
  const priorities = new Map([
    [systemClusterCritical.name, systemClusterCritical.value] as const,
    [systemNodeCritical.name, systemNodeCritical.value] as const,
    ...classes.map(({ metadata, value }) => [metadata.name ?? "", value] as const)
  ])
  return (given) => {
    const pod = defaultPod(given)
    if (pod.spec.priority !== undefined) return pod
    const priority = priorities.get(pod.spec.priorityClassName ?? "") ?? defaultPriority
    return { ...pod, spec: { ...pod.spec, priority } }
  }
}

/** Makes a function that returns the scale of a pod's controller, found as the disruption controller finds it. */
const makeControllerScaleOf = (objects: ClusterObjects): ((pod: Pod) => BudgetedPod["controller"]) => {
  const scales = new Map<string, BudgetedPod["controller"]>()
  const add = (uid: string | undefined, name: string | undefined, replicas = 1) => {
    if (uid !== undefined) scales.set(uid, { name: name ?? uid, replicas })
  }
  for (const { metadata, spec } of objects.of("StatefulSet")) add(metadata.uid, metadata.uid, spec.replicas)
  for (const { metadata, spec } of objects.of("ReplicationController")) add(metadata.uid, metadata.uid, spec?.replicas)
  const deployments = new Map(objects.of("Deployment").map(({ metadata, spec }) => [metadata.uid, spec.replicas]))
  for (const set of objects.of("ReplicaSet")) {
    const above = getControllerOf(set)
    const hasDeployment = above !== undefined && deployments.has(above.uid)
    add(
      set.metadata.uid,
      hasDeployment ? above.uid : set.metadata.uid,
      hasDeployment ? deployments.get(above.uid) : set.spec.replicas
    )
  }
  return (pod) => scales.get(getControllerOf(pod)?.uid ?? "")
}

/** Returns whether the disruption controller has not yet processed the budget's last change. */
const isBehind = ({ metadata, status }: PodDisruptionBudget): boolean =>
  status?.observedGeneration !== undefined && status.observedGeneration < (metadata.generation ?? 0)

const CONDITION_TYPE = "DisruptionAllowed"

/** The status that the controller writes if it cannot determine the expected number of pods. Upstream: failSafe. */
const failSafeStatus = (message: string): NonNullable<PodDisruptionBudget["status"]> => ({
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
  conditions: [{ type: CONDITION_TYPE, status: "False", reason: "SyncFailed", message }]
})

/**
 * Makes a function that sets the status that the disruption controller would write on a budget, unless it already has an up-to-date one.
 */
const makeWithStatus = (objects: ClusterObjects, pods: ReadonlyArray<Pod>) => {
  const controllerOf = makeControllerScaleOf(objects)
  return (budget: PodDisruptionBudget): PodDisruptionBudget => {
    if (budget.status !== undefined && !isBehind(budget)) return budget
    const { maxUnavailable, minAvailable, selector } = budget.spec ?? {}
    const selected = pods.filter(
      ({ metadata }) =>
        metadata.namespace === budget.metadata.namespace && matchesLabelSelector(selector, metadata.labels)
    )
    const dependsOnReplicas = maxUnavailable !== undefined || typeof minAvailable === "string"
    const uncontrolled = selected.find((pod) => getControllerOf(pod) !== undefined && controllerOf(pod) === undefined)
    if (dependsOnReplicas && uncontrolled !== undefined) {
      return {
        ...budget,
        status: failSafeStatus(`found no controllers for pod ${JSON.stringify(uncontrolled.metadata.name)}`)
      }
    }
    const { condition, currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods } = budgetStatus(
      {
        ...(minAvailable === undefined ? {} : { minAvailable }),
        ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
        disruptedPods: new Map<string, number>()
      },
      selected.map((pod) => ({
        name: pod.metadata.name ?? "",
        isReady: isPodReady(pod),
        isTerminating: pod.metadata.deletionTimestamp !== undefined,
        controller: controllerOf(pod)
      })),
      objects.nowMs
    )
    const conditions = [{ type: CONDITION_TYPE, ...condition, message: "" }]
    return { ...budget, status: { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods, conditions } }
  }
}

/** Returns stand-ins for DaemonSets that the input lacks and pods refer to: kubectl would find them in the cluster. */
const daemonSetsOutside = ({ outside }: ClusterObjects): ReadonlyArray<DaemonSet> =>
  outside
    .filter(({ isModelled, kind }) => isModelled && kind === "DaemonSet")
    .map((owner) => standInOf(owner) as unknown as DaemonSet)

/**
 * Returns the input of a drain plan: pods with the priorities that admission sets, and budgets with the status that the disruption
 * controller would write.
 */
export const drainSnapshotOf = (objects: ClusterObjects): ClusterSnapshot => {
  const pods = objects.of("Pod").map(makeWithDefaults(objects))
  return {
    nowMs: objects.nowMs,
    nodes: objects
      .of("Node")
      .toSorted((left, right) => timeOf(left.metadata.creationTimestamp) - timeOf(right.metadata.creationTimestamp)),
    pods,
    budgets: objects.of("PodDisruptionBudget").map(makeWithStatus(objects, pods)),
    daemonSets: [...objects.of("DaemonSet"), ...daemonSetsOutside(objects)],
    replicaSets: objects.of("ReplicaSet"),
    statefulSets: objects.of("StatefulSet"),
    namespaces: objects.of("Namespace")
  }
}

const timeOf = (time: string | null | undefined): number => (typeof time === "string" ? parseTime(time) : 0)
