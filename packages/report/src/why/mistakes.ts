import { clock, plural, some, span } from "@rollcall/text"
import { type Facts, type Finder, ofType } from "./Facts.ts"

/** An eviction happens within this time of the time at which it is due. */
const TOLERANCE_SECONDS = 2

/** Explains why tolerations that were changed after the time of the eviction was fixed had no effect. */
export const lateTolerations: Finder = ({ faultSpans, trace }) =>
  faultSpans.flatMap(({ event, from, what }) => {
    const { fields = [], object } = event ?? {}
    if (what !== "patch" || object?.kind !== "Pod" || !fields.includes("spec.tolerations")) return []
    const scheduled = ofType(trace, "PodEvictionScheduled").findLast(({ at, pod }) => pod === object.name && at <= from)
    if (scheduled === undefined || scheduled.due < from) return []
    const deletion = ofType(trace, "PodDeletionRequested").find(({ at, pod }) => pod === object.name && at > from)
    return deletion === undefined || Math.abs(deletion.at - scheduled.due) > TOLERANCE_SECONDS
      ? []
      : [
          `${object.name} was evicted at ${clock(deletion.at)} although its tolerations were changed at ${clock(from)}: the time is fixed when the taint is added (${clock(scheduled.at)}), from the tolerationSeconds at that time (${span(Math.round(scheduled.due - scheduled.at))}). A later change is accepted and shown, but has no effect; only removal of the taint cancels an eviction.`
        ]
  })

/** The priority of system-cluster-critical; that of system-node-critical is 1000 higher. */
const CRITICAL = 2_000_000_000

/** Explains the order of static pods with a priority class but no priority, which no admission plugin sets. */
export const classWithoutPriority: Finder = ({ classOnly, trace }) => {
  const found = ofType(trace, "ShutdownPhase").flatMap(({ at, pods, priority }) =>
    priority >= CRITICAL ? [] : pods.flatMap(({ pod }) => (classOnly.has(pod) ? [{ pod, at, priority }] : []))
  )
  const [first] = found
  return first === undefined
    ? []
    : [
        `${some(found.map(({ pod }) => pod))} ended with the ordinary pods at ${clock(first.at)}, although its class is ${classOnly.get(first.pod)}: a kubelet uses spec.priority, which the API server sets from the class, and a static pod manifest does not pass the API server. Without spec.priority it is 0; with priority: ${CRITICAL + 1000} in the manifest the pod ends last.`
      ]
}

/** A warning of a drain that waits for a pod to the end, because of a budget. */
const BLOCKED_DRAIN =
  /waits for pod (\S+)\/(\S+) to the end: The disruption budget (\S+) needs (\d+) healthy pods and has (\d+) currently/

const isReadyAtEnd = ({ trace }: Facts, name: string): boolean =>
  ofType(trace, "PodReadyChanged").findLast(({ pod }) => pod === name)?.ready === true

/** Explains drains that a budget blocks to the end. */
export const blockedDrains: Finder = (facts) => {
  const { result, faultSpans } = facts
  return result.warnings.flatMap((warning) => {
    const [, , pod = "", budget, needs, has] = BLOCKED_DRAIN.exec(warning) ?? []
    const drain = faultSpans.find(({ what }) => what === "drain")
    if (pod === "" || drain === undefined) return []
    const unhealthyText = isReadyAtEnd(facts, pod)
      ? ""
      : ` ${pod} is not ready itself, so it does not count as healthy but is still protected: the default unhealthyPodEvictionPolicy is IfHealthyBudget. With AlwaysAllow it would be evicted at once.`
    return [
      `The drain of ${some(drain.nodes)} tries to evict ${pod} every 5s, for ${span(drain.to - drain.from)}, to the end: budget ${budget} needs ${needs} healthy pods and has ${has}, which allows no eviction.${unhealthyText}`
    ]
  })
}

/** Explains shutdowns that powered off before the pods had ended. */
export const earlyPowerOff: Finder = ({ trace }) => {
  const cut = ofType(trace, "ShutdownFinished").filter(({ cutOff: early }) => early)
  const [first] = cut
  if (first === undefined) return []
  const started = ofType(trace, "ShutdownStarted").find(({ node }) => node === first.node)
  return [
    `${plural(cut.length, "node")} lost power before the pods had ended, at ${clock(first.at)}: ${started === undefined || started.delaySeconds === 0 ? "the kubelet had not delayed the shutdown" : `the kubelet had delayed the shutdown by ${span(started.delaySeconds)}`}.`
  ]
}
