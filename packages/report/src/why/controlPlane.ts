import { clock, plural, some, span } from "@rollcall/text"
import { type FaultSpan, type Finder, isDuring, ofType, silentSpans } from "./Facts.ts"

const MANAGER = "kube-controller-manager"
/** Nodes without a fault that are lost up to this long after an outage of the API server are lost because of it. */
const AFTER_OUTAGE_SECONDS = 120

/** Explains the effect of a new leader of the controller manager, which has none of the timers of the old one. */
export const leaderChange: Finder = ({ rules, faultSpans, trace }) =>
  ofType(trace, "LeaderChanged")
    .filter(({ component }) => component === MANAGER)
    .slice(0, 1)
    .flatMap((change) => {
      const killed = faultSpans.findLast(({ from, what }) => what === "controller-restart" && from <= change.at)
      const lostText =
        killed === undefined
          ? ""
          : `, ${span(change.at - killed.from)} after the previous one was lost (--leader-elect-lease-duration ${span(rules.leaseDuration)})`
      const scheduled = ofType(trace, "PodEvictionScheduled")
      /** The due times that the old leader had set and that are still to come. */
      const before = new Map<string, number>()
      const delayed: Array<{ readonly due: number; readonly by: number }> = []
      for (const { at, due, namespace, pod } of scheduled) {
        const key = `${namespace}/${pod}`
        const old = before.get(key)
        if (at < change.at && due > change.at) before.set(key, due)
        else if (old !== undefined) {
          delayed.push({ due, by: due - old })
          before.delete(key)
        }
      }
      const [first] = delayed
      const delayText =
        first === undefined
          ? ""
          : ` ${plural(delayed.length, "eviction")} due from ${clock(first.due - first.by)} on ${delayed.length === 1 ? "is" : "are"} delayed to ${clock(first.due)} and later, by ${span(Math.round(first.by))}: the taints are removed and added again, and every pod's tolerationSeconds start again.`
      return killed === undefined && first === undefined
        ? []
        : [
            `Another controller manager led from ${clock(change.at)} on${lostText}. It has no state of the previous one: every node gets a full grace period of ${span(rules.grace)}.${delayText}`
          ]
    })

const isActiveAt = (fault: FaultSpan, at: number): boolean => at >= fault.from && at <= fault.to

/** Explains an outage of the API server, during which nothing is observed or done, and its effects afterwards. */
export const apiOutage: Finder = (facts) => {
  const { losses, rules, faultSpans, trace } = facts
  const down = faultSpans.find(({ what }) => what === "api-server-down")
  if (down === undefined) return []
  const silentDuringOutage = silentSpans(facts).filter(({ from }) => isActiveAt(down, from))
  const noticed = silentDuringOutage.flatMap((fault) => {
    const loss = losses.find(({ at, node }) => fault.nodeSet.has(node) && at > fault.from)
    return loss === undefined ? [] : [{ fault, at: loss.at, node: loss.node }]
  })
  const silent = new Set(silentSpans(facts).flatMap(({ nodes }) => nodes))
  const healthy = losses.filter(
    ({ at, node }) => !silent.has(node) && at > down.from && at < down.to + AFTER_OUTAGE_SECONDS
  )
  const changed = ofType(trace, "LeaderChanged").find(({ at, component }) => component === MANAGER && at > down.from)
  const [late] = noticed
  const [early] = healthy
  return [
    `From ${clock(down.from)} to ${clock(down.to)} the API server did not answer: kubelets could not report and controllers could not act, so nothing was marked, evicted or replaced, and pods kept running.`,
    ...(late === undefined
      ? []
      : [
          `${late.node}, dead since ${clock(late.fault.from)}, was noticed at ${clock(late.at)}, ${span(late.at - late.fault.from)} later, and counted as Ready until then: its grace period started when the API server answered again.`
        ]),
    ...(early === undefined
      ? changed === undefined || late !== undefined
        ? []
        : [
            `No node was lost: the controller manager could not renew its own Lease for --leader-elect-renew-deadline ${span(rules.renewDeadline)} and exited; the next leader, from ${clock(changed.at)} on, had no state of these nodes and gave each a full grace period of ${span(rules.grace)}.`
          ]
      : [
          `${plural(new Set(healthy.map(({ node }) => node)).size, "node")} without a fault ${early.at > down.to ? `were lost after the API server answered again (from ${clock(early.at)} on)` : "were lost"}: kubelets had renewed their Leases, but the controller's watch was still in its back-off, so the controller saw old Leases, older than the ${span(rules.grace)} of --node-monitor-grace-period.${changed === undefined && !rules.leaderElect ? " The controller had not exited, because leader election is off; one that had lost its Lease would have restarted without state and lost no node." : ""}`
        ])
  ]
}

/** Explains the loss of nodes whose clocks were set back. */
export const clockSkew: Finder = (facts) => {
  const skewed = facts.faultSpans.filter(({ what }) => what === "clock-skew")
  const lost = skewed.flatMap((fault) => {
    const loss = facts.losses.find(({ at, node }) => isDuring(fault, node, at))
    return loss === undefined ? [] : [{ fault, loss }]
  })
  const [first] = lost
  if (first === undefined) return []
  const { loss, fault } = first
  const ready = ofType(facts.trace, "ConditionChanged").find(
    ({ at, condition, node, to }) => condition === "Ready" && node === loss.node && to === "True" && at > loss.at
  )
  const known = new Set(lost.map((one) => one.loss.node))
  const others = skewed.flatMap(({ nodes }) => nodes).filter((node) => !known.has(node))
  return [
    `${loss.node} was Unknown ${span(loss.at - fault.from)} after its clock was set back, although all its requests arrived: the controller does not compare clocks; it checks whether renewTime moves forward within ${span(facts.rules.grace)} (--node-monitor-grace-period).${ready === undefined ? "" : ` The next status from its kubelet counts whatever its time (${clock(ready.at)}).`}${others.length === 0 ? "" : ` ${some(others)}, set forward, stayed Ready.`}`
  ]
}
