import { clock, plural, some, span } from "@rollcall/text"
import { evictionsOf } from "./evictions.ts"
import { during, type Finder, isReady, ofType } from "./Facts.ts"

/** Nodes whose container runtime did not answer: how that was noticed, and what could not be ended. */
export const hung: Finder = (facts) => {
  const spells = facts.spells.filter(({ what }) => what === "runtime-down")
  const inSpell = (node: string, at: number) => spells.find((spell) => during(spell, node, at))
  const noticed = ofType(facts.trace, "ConditionChanged").find(
    (entry) => isReady(entry) && entry.to === "False" && inSpell(entry.node, entry.at) !== undefined
  )
  const spell = noticed === undefined ? undefined : inSpell(noticed.node, noticed.at)
  if (noticed === undefined || spell === undefined) return []
  const { runtimeCheck, runtimeDownAfter } = facts.rules
  const rule = `a kubelet looks at its runtime each ${span(runtimeCheck)}, and calls it down ${span(runtimeDownAfter)} after the last answer; its next status says so`
  const found = `${some(spell.nodes)} said after ${span(noticed.at - spell.from)} that ${spell.nodes.length === 1 ? "it is" : "they are"} not ready, for ${rule}. Heartbeats go on: this is NotReady and not Unknown, and its pods stay in their Services.`
  const waiting = evictionsOf(facts).filter(({ at, node }) => during(spell, node, at))
  const [first] = waiting
  if (first === undefined) return [found]
  const until = spell.ended ? `until it answered at ${clock(spell.to)}` : "to the end"
  return [
    `${found} ${plural(waiting.length, "pod")} asked to go from ${clock(first.at)} on stayed Terminating ${until}, their containers running: without the runtime nothing is started or ended.`
  ]
}
