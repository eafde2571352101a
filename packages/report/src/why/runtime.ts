import { clock, plural, some, span } from "@rollcall/text"
import { evictionsOf } from "./evictions.ts"
import { type Finder, isDuring, isReadyChange, ofType } from "./Facts.ts"

/** Explains how container runtimes that did not answer were detected, and which pods could not be stopped. */
export const runtimeDown: Finder = (facts) => {
  const faultSpans = facts.faultSpans.filter(({ what }) => what === "runtime-down")
  const faultAt = (node: string, at: number) => faultSpans.find((fault) => isDuring(fault, node, at))
  const noticed = ofType(facts.trace, "ConditionChanged").find(
    (entry) => isReadyChange(entry) && entry.to === "False" && faultAt(entry.node, entry.at) !== undefined
  )
  const fault = noticed === undefined ? undefined : faultAt(noticed.node, noticed.at)
  if (noticed === undefined || fault === undefined) return []
  const { runtimeCheck, runtimeDownAfter } = facts.rules
  const rule = `a kubelet checks its runtime each ${span(runtimeCheck)}, and reports it down ${span(runtimeDownAfter)} after the last answer, with its next status`
  const found = `${some(fault.nodes)} reported NotReady after ${span(noticed.at - fault.from)}: ${rule}. Heartbeats continue, so the node is NotReady and not Unknown, and its pods stay in their Services.`
  const waiting = evictionsOf(facts).filter(({ at, node }) => isDuring(fault, node, at))
  const [first] = waiting
  if (first === undefined) return [found]
  const until = fault.ended ? `until it answered at ${clock(fault.to)}` : "to the end"
  return [
    `${found} ${plural(waiting.length, "pod")} deleted from ${clock(first.at)} on stayed Terminating ${until} with running containers: without the runtime no container starts or stops.`
  ]
}
