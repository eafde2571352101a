import { getPodCondition, isPodReady, isPodTerminal, type Pod, type PodDisruptionBudget } from "@rollcall/api"
import { nameOf, type PlannedPod } from "./PlannedPod.ts"

/** How many pods are named; the rest are counted. */
const NAMED = 3

/** `CrashLoopBackOff, 41 restarts`: why a pod is not ready, from its status. */
const stateOf = ({ status }: Pod): string => {
  const { containerStatuses = [] } = status ?? {}
  const waiting = containerStatuses.map(({ state }) => state?.waiting?.reason).find((why) => why !== undefined)
  const restarts = containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0)
  const reason = waiting ?? getPodCondition(status, "Ready")?.reason ?? status?.phase ?? "Pending"
  return `${reason}${restarts === 0 ? "" : `, ${restarts} restart${restarts === 1 ? "" : "s"}`}`
}

const shortfall = ({ isTerminating, message, node, pod, readyAt, replaces }: PlannedPod): string => {
  const name = replaces === undefined ? nameOf(pod) : `the replacement of ${replaces}`
  if (isTerminating) return `${name} is terminating`
  if (node === undefined) return message === "" ? `${name} has no node` : `${name} fits on no node`
  return replaces === undefined || readyAt !== undefined
    ? `${name} on ${node} is not ready (${stateOf(pod)})`
    : `${name} does not become ready on ${node}`
}

const listed = (texts: ReadonlyArray<string>): string => {
  const rest = texts.length - NAMED
  return `${texts.slice(0, NAMED).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`
}

/**
 * Explains why a budget never permits the eviction of a pod, and what would help. `selected`: all pods that the budget
 * selects at that moment.
 */
export const explainRefusal = (pod: Pod, budget: PodDisruptionBudget, selected: ReadonlyArray<PlannedPod>): string => {
  const { conditions = [], desiredHealthy = 0, expectedPods = 0 } = budget.status ?? {}
  const { message = "", reason } = conditions.find(({ type }) => type === "DisruptionAllowed") ?? {}
  if (reason === "SyncFailed") {
    return `The disruption controller cannot compute how many pods it needs${message === "" ? "" : ` (${message})`}, and allows no disruption until it can.`
  }
  const missing = selected.filter((one) => !one.healthy && !isPodTerminal(one.pod))
  const parts: Array<string> = []
  if (!isPodReady(pod)) {
    parts.push(
      `It is not ready (${stateOf(pod)}) and serves no requests, but while the budget lacks healthy pods it protects unready ones too: unhealthyPodEvictionPolicy AlwaysAllow would permit the eviction.`
    )
  }
  if (desiredHealthy >= expectedPods) {
    parts.push(
      `The budget requires ${expectedPods === 1 ? "its only pod" : `all ${expectedPods} of its pods`} to be healthy, so it never permits an eviction: add a replica, or relax the budget.`
    )
  }
  const others = missing.filter((other) => other.pod.metadata.uid !== pod.metadata.uid)
  if (others.length > 0) parts.push(`Unhealthy pods: ${listed(others.map(shortfall))}.`)
  return parts.join(" ")
}

/**
 * Explains why a budget permits an eviction without counting it; undefined when it counts it, or there is no budget.
 */
export const explainUncounted = (pod: Pod, budget: PodDisruptionBudget): string | undefined => {
  if (isPodReady(pod) || pod.status?.phase !== "Running") return undefined
  if (pod.metadata.deletionTimestamp !== undefined) return undefined
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {}
  const head = `It is not ready (${stateOf(pod)}), so budget ${budget.metadata.name ?? ""} permits the eviction without counting it: `
  return budget.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow"
    ? `${head}unhealthyPodEvictionPolicy is AlwaysAllow.`
    : `${head}the budget needs ${desiredHealthy} healthy pods and has ${currentHealthy} without it.`
}
