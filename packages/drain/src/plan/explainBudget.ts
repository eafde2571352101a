import { getPodCondition, isPodReady, isPodTerminal, type Pod, type PodDisruptionBudget } from "@rollcall/api"
import { nameOf, type PlannedPod } from "./PlannedPod.ts"

/** So many pods are named; of the others their number is told. */
const NAMED = 3

/** `CrashLoopBackOff, 41 restarts`: why a pod is not ready, as far as it says. */
const stateOf = ({ status }: Pod): string => {
  const { containerStatuses = [] } = status ?? {}
  const waiting = containerStatuses.map(({ state }) => state?.waiting?.reason).find((why) => why !== undefined)
  const restarts = containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0)
  const reason = waiting ?? getPodCondition(status, "Ready")?.reason ?? status?.phase ?? "Pending"
  return `${reason}${restarts === 0 ? "" : `, ${restarts} restart${restarts === 1 ? "" : "s"}`}`
}

const shortfall = ({ isTerminating, message, node, pod, readyAt, replaces }: PlannedPod): string => {
  const name = replaces === undefined ? nameOf(pod) : `what comes in place of ${replaces}`
  if (isTerminating) return `${name} is terminating`
  if (node === undefined) return message === "" ? `${name} has no node` : `${name} fits nowhere`
  return replaces === undefined || readyAt !== undefined
    ? `${name} on ${node} is not ready (${stateOf(pod)})`
    : `${name} does not become ready on ${node}`
}

const listed = (texts: ReadonlyArray<string>): string => {
  const rest = texts.length - NAMED
  return `${texts.slice(0, NAMED).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`
}

/** What keeps a budget from ever letting a pod go, and what would help. `selected` is all that it selects, at that moment. */
export const whyItHolds = (pod: Pod, budget: PodDisruptionBudget, selected: ReadonlyArray<PlannedPod>): string => {
  const { conditions = [], desiredHealthy = 0, expectedPods = 0 } = budget.status ?? {}
  const { message = "", reason } = conditions.find(({ type }) => type === "DisruptionAllowed") ?? {}
  if (reason === "SyncFailed") {
    return `Its controller cannot tell how many pods it needs${message === "" ? "" : ` (${message})`}, and allows nothing until it can.`
  }
  const missing = selected.filter((one) => !one.healthy && !isPodTerminal(one.pod))
  const parts: Array<string> = []
  if (!isPodReady(pod)) {
    parts.push(
      `It is not ready (${stateOf(pod)}) and serves nobody, but while the budget lacks healthy pods it keeps those too: unhealthyPodEvictionPolicy AlwaysAllow would let it go.`
    )
  }
  if (desiredHealthy >= expectedPods) {
    parts.push(
      `The budget needs ${expectedPods === 1 ? "the one pod" : `every one of the ${expectedPods} pods`} that there should be, so it never spares one: one more replica would help, or a budget that can.`
    )
  }
  const others = missing.filter((other) => other.pod.metadata.uid !== pod.metadata.uid)
  if (others.length > 0) parts.push(`Of its pods, ${listed(others.map(shortfall))}.`)
  return parts.join(" ")
}

/** Why a pod goes past its budget without being counted; undefined when it is counted, or there is none. */
export const whyUncounted = (pod: Pod, budget: PodDisruptionBudget): string | undefined => {
  if (isPodReady(pod) || pod.status?.phase !== "Running") return undefined
  if (pod.metadata.deletionTimestamp !== undefined) return undefined
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {}
  const head = `It is not ready (${stateOf(pod)}), so budget ${budget.metadata.name ?? ""} lets it go and counts nothing: `
  return budget.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow"
    ? `${head}unhealthyPodEvictionPolicy is AlwaysAllow.`
    : `${head}the budget needs ${desiredHealthy} healthy pods and has ${currentHealthy} without it.`
}
