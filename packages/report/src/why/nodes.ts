import { clock, some, span } from "@rollcall/text"
import { type Finder, ofType } from "./Facts.ts"

const MOST_REASONS = 3

/** Pods that their nodes did not take, in the kubelet's own words. */
export const rejected: Finder = ({ trace }) => {
  const byReason = new Map<string, Array<{ readonly pod: string; readonly at: number; readonly message: string }>>()
  for (const { at, message, pod, reason } of ofType(trace, "PodRejected")) {
    const list = byReason.get(reason) ?? []
    list.push({ pod, at, message })
    byReason.set(reason, list)
  }
  return [...byReason].slice(0, MOST_REASONS).flatMap(([reason, list]) => {
    const [first] = list
    if (first === undefined) return []
    const placed = ofType(trace, "PodScheduled").some(({ pod }) => pod === first.pod)
    const said = first.message.replace(/^Pod was rejected: /, "").replace(/\.\s*$/, "")
    return [
      `${some(list.map(({ pod }) => pod))}: ${placed ? "placed by the scheduler and " : ""}refused by the kubelet at ${clock(first.at)} (${reason}): ${said}.`
    ]
  })
}

const wants: Readonly<Record<string, string>> = {
  MemoryPressure: "memory",
  DiskPressure: "disk",
  PIDPressure: "process numbers"
}

/** A condition that has to do with an eviction begins this close to it. */
const NEAR_SECONDS = 60

/** Pods that a kubelet ended because its node ran short. */
export const pressed: Finder = ({ trace }) => {
  const ended = ofType(trace, "PodPhaseChanged").filter(
    ({ from, reason, to }) => from === "Running" && to === "Failed" && reason === "Evicted"
  )
  const [first] = ended
  if (first === undefined) return []
  const changes = ofType(trace, "ConditionChanged").filter(
    ({ condition, node }) => node === first.node && wants[condition] !== undefined
  )
  const begun = changes.find(({ at, to }) => to === "True" && Math.abs(at - first.at) <= NEAR_SECONDS)
  const over = changes.find(
    ({ at, condition, to }) => condition === begun?.condition && to === "False" && at > first.at
  )
  const want = begun === undefined ? "a resource" : wants[begun.condition]
  const kept =
    begun === undefined || over === undefined
      ? ""
      : ` ${begun.condition} stayed for ${span(Math.round(over.at - begun.at))} in all: evictionPressureTransitionPeriod is counted from the last time that the threshold was crossed.`
  return [
    `${some(ended.map(({ pod }) => pod))} ended by the kubelet at ${clock(first.at)} for want of ${want}: an eviction threshold was crossed. It takes pods that use more than they request first, of these the ones of lower priority, and of these the one that is furthest above its request.${kept}`
  ]
}
