import { clock, plural, some, span } from "@rollcall/text"
import { type Facts, type Finder, ofType } from "./Facts.ts"

/** Tolerations that were changed when the time of the eviction was already fixed. */
export const tooLate: Finder = ({ spells, trace }) =>
  spells.flatMap(({ event, from, what }) => {
    const { fields = [], object } = event ?? {}
    if (what !== "patch" || object?.kind !== "Pod" || !fields.includes("spec.tolerations")) return []
    const scheduled = ofType(trace, "PodEvictionScheduled").findLast(({ at, pod }) => pod === object.name && at <= from)
    if (scheduled === undefined || scheduled.due < from) return []
    const gone = ofType(trace, "PodDeletionRequested").find(({ at, pod }) => pod === object.name && at > from)
    return gone === undefined || Math.abs(gone.at - scheduled.due) > 2
      ? []
      : [
          `${object.name} went at ${clock(gone.at)} as if its tolerations had not been changed at ${clock(from)}: the time is fixed when the taint comes (${clock(scheduled.at)}), from the tolerationSeconds of that moment (${span(Math.round(scheduled.due - scheduled.at))}). A later change is accepted, shown, and moves nothing; only the taint's removal calls an eviction off.`
        ]
  })

const CRITICAL = 2_000_000_000

/** Static pods whose class is a word only: no admission has turned it into a number. */
export const classWithoutNumber: Finder = ({ classOnly, trace }) => {
  const found = ofType(trace, "ShutdownPhase").flatMap(({ at, pods, priority }) =>
    priority >= CRITICAL ? [] : pods.flatMap(({ pod }) => (classOnly.has(pod) ? [{ pod, at, priority }] : []))
  )
  const [first] = found
  return first === undefined
    ? []
    : [
        `${some(found.map(({ pod }) => pod))} ended with the ordinary pods at ${clock(first.at)}, though its class is ${classOnly.get(first.pod)}: a kubelet goes by the number in spec.priority, which the API fills in from the class, and a manifest on the machine never passes the API. Without the number it is 0; with priority: ${CRITICAL + 1000} in the manifest it goes last.`
      ]
}

const BLOCKED =
  /waits for pod (\S+)\/(\S+) to the end: The disruption budget (\S+) needs (\d+) healthy pods and has (\d+) currently/

const isReadyAtEnd = ({ trace }: Facts, name: string): boolean =>
  ofType(trace, "PodReadyChanged").findLast(({ pod }) => pod === name)?.ready === true

/** Drains that never end. */
export const walled: Finder = (facts) => {
  const { result, spells } = facts
  return result.warnings.flatMap((warning) => {
    const [, , pod = "", budget, needs, has] = BLOCKED.exec(warning) ?? []
    const drain = spells.find(({ what }) => what === "drain")
    if (pod === "" || drain === undefined) return []
    const self = isReadyAtEnd(facts, pod)
      ? ""
      : ` ${pod} is not ready itself, so it counts for nothing and is protected all the same: unhealthyPodEvictionPolicy is IfHealthyBudget unless said otherwise. With AlwaysAllow it would go at once.`
    return [
      `The drain of ${some(drain.nodes)} asks for ${pod} every 5s, for ${span(drain.to - drain.from)} and to the end: budget ${budget} needs ${needs} healthy pods and has ${has}, which allows no eviction.${self}`
    ]
  })
}

/** Power that went before the pods had ended. */
export const cutOff: Finder = ({ trace }) => {
  const cut = ofType(trace, "ShutdownFinished").filter(({ cutOff: early }) => early)
  const [first] = cut
  if (first === undefined) return []
  const asked = ofType(trace, "ShutdownStarted").find(({ node }) => node === first.node)
  return [
    `${plural(cut.length, "node")} lost power before the pods had ended, at ${clock(first.at)}: ${asked === undefined || asked.delaySeconds === 0 ? "nobody had asked the machine to wait" : `the kubelet had asked the machine to wait for ${span(asked.delaySeconds)}`}.`
  ]
}
