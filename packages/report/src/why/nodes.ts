import { clock, some, span } from "@rollcall/text"
import { type Finder, ofType } from "./Facts.ts"

/** The most reasons for rejections that the report explains. */
const MAX_REASONS = 3

/** Explains why a kubelet rejected pods, with its message. */
export const rejectedPods: Finder = ({ trace }) => {
  const byReason = new Map<string, Array<{ readonly pod: string; readonly at: number; readonly message: string }>>()
  for (const { at, message, pod, reason } of ofType(trace, "PodRejected")) {
    const list = byReason.get(reason) ?? []
    list.push({ pod, at, message })
    byReason.set(reason, list)
  }
  return [...byReason].slice(0, MAX_REASONS).flatMap(([reason, list]) => {
    const [first] = list
    if (first === undefined) return []
    const wasScheduled = ofType(trace, "PodScheduled").some(({ pod }) => pod === first.pod)
    const message = first.message.replace(/^Pod was rejected: /, "").replace(/\.\s*$/, "")
    return [
      `${some(list.map(({ pod }) => pod))}: ${wasScheduled ? "bound by the scheduler and " : ""}rejected by the kubelet at ${clock(first.at)} (${reason}): ${message}.`
    ]
  })
}

/** The resource that a node under a pressure lacks. */
const resources: Readonly<Record<string, string>> = {
  MemoryPressure: "memory",
  DiskPressure: "disk",
  PIDPressure: "process numbers"
}

/** A pressure condition belongs to an eviction if it starts within this time of it. */
const NEAR_SECONDS = 60

/** Explains why a kubelet evicted pods under node pressure. */
export const nodePressure: Finder = ({ trace }) => {
  const ended = ofType(trace, "PodPhaseChanged").filter(
    ({ from, reason, to }) => from === "Running" && to === "Failed" && reason === "Evicted"
  )
  const [first] = ended
  if (first === undefined) return []
  const changes = ofType(trace, "ConditionChanged").filter(
    ({ condition, node }) => node === first.node && resources[condition] !== undefined
  )
  const began = changes.find(({ at, to }) => to === "True" && Math.abs(at - first.at) <= NEAR_SECONDS)
  const over = changes.find(
    ({ at, condition, to }) => condition === began?.condition && to === "False" && at > first.at
  )
  const resource = began === undefined ? "a resource" : resources[began.condition]
  const durationText =
    began === undefined || over === undefined
      ? ""
      : ` ${began.condition} lasted ${span(Math.round(over.at - began.at))}: evictionPressureTransitionPeriod counts from the last time that the threshold was crossed.`
  return [
    `${some(ended.map(({ pod }) => pod))} evicted by the kubelet at ${clock(first.at)} for lack of ${resource}: an eviction threshold was crossed. The kubelet evicts pods that use more than they request first, then by lower priority, then by the usage above the request.${durationText}`
  ]
}
