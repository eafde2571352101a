import { getPodCondition, isPodReady, isPodTerminal, type Pod, type PodDisruptionBudget } from "@rollcall/api"
import { nameOf, type PlannedPod } from "./PlannedPod.ts"

/** Number of pods that a message names; it only counts the others. */
const MAX_NAMED_PODS = 3

/** Why a pod is not ready, from its status: `CrashLoopBackOff, 41 restarts`. */
const unreadyReason = ({ status }: Pod): string => {
  const { containerStatuses = [] } = status ?? {}
  const waiting = containerStatuses.map(({ state }) => state?.waiting?.reason).find((why) => why !== undefined)
  const restarts = containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0)
  const reason = waiting ?? getPodCondition(status, "Ready")?.reason ?? status?.phase ?? "Pending"
  return `${reason}${restarts === 0 ? "" : `, ${restarts} restart${restarts === 1 ? "" : "s"}`}`
}

/** A sentence part that says why a pod does not count as healthy. */
const describeUnhealthy = ({ isTerminating, message, node, pod, readyAt, replaces }: PlannedPod): string => {
  const name = replaces === undefined ? nameOf(pod) : `the replacement of ${replaces}`
  if (isTerminating) return `${name} is terminating`
  if (node === undefined) return message === "" ? `${name} has no node` : `${name} fits on no node`
  return replaces === undefined || readyAt !== undefined
    ? `${name} on ${node} is not ready (${unreadyReason(pod)})`
    : `${name} does not become ready on ${node}`
}

const joinFirst = (texts: ReadonlyArray<string>): string => {
  const rest = texts.length - MAX_NAMED_PODS
  return `${texts.slice(0, MAX_NAMED_PODS).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`
}

/**
 * Explains why a budget never permits the eviction of a pod, and what would help. `selected` contains all pods that the
 * budget selects when the plan finds that out.
 */
export const explainRefusal = (pod: Pod, budget: PodDisruptionBudget, selected: ReadonlyArray<PlannedPod>): string => {
  const { conditions = [], desiredHealthy = 0, expectedPods = 0 } = budget.status ?? {}
  const { message = "", reason } = conditions.find(({ type }) => type === "DisruptionAllowed") ?? {}
  if (reason === "SyncFailed") {
    return `The disruption controller cannot compute how many pods it needs${message === "" ? "" : ` (${message})`}, and allows no disruption until it can.`
  }
  const unhealthy = selected.filter((one) => !one.healthy && !isPodTerminal(one.pod))
  const sentences: Array<string> = []
  if (!isPodReady(pod)) {
    sentences.push(
      `It is not ready (${unreadyReason(pod)}) and serves no requests, but while the budget lacks healthy pods it protects unready ones too: unhealthyPodEvictionPolicy AlwaysAllow would permit the eviction.`
    )
  }
  if (desiredHealthy >= expectedPods) {
    sentences.push(
      `The budget requires ${expectedPods === 1 ? "its only pod" : `all ${expectedPods} of its pods`} to be healthy, so it never permits an eviction: add a replica, or relax the budget.`
    )
  }
  const others = unhealthy.filter((other) => other.pod.metadata.uid !== pod.metadata.uid)
  if (others.length > 0) sentences.push(`Unhealthy pods: ${joinFirst(others.map(describeUnhealthy))}.`)
  return sentences.join(" ")
}

/**
 * Explains why a budget permits an eviction without counting it as a disruption; undefined if the reason is not that the
 * pod runs without being ready.
 */
export const explainUncounted = (pod: Pod, budget: PodDisruptionBudget): string | undefined => {
  if (isPodReady(pod) || pod.status?.phase !== "Running") return undefined
  if (pod.metadata.deletionTimestamp !== undefined) return undefined
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {}
  const intro = `It is not ready (${unreadyReason(pod)}), so budget ${budget.metadata.name ?? ""} permits the eviction without counting it: `
  return budget.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow"
    ? `${intro}unhealthyPodEvictionPolicy is AlwaysAllow.`
    : `${intro}the budget needs ${desiredHealthy} healthy pods and has ${currentHealthy} without it.`
}
