import { clock, plural, some, span } from "@rollcall/text"
import { during, type Finder, ofType, type Spell, silences } from "./Facts.ts"

const MANAGER = "kube-controller-manager"

/** Another controller manager leads, and has forgotten every timer. */
export const leader: Finder = ({ rules, spells, trace }) =>
  ofType(trace, "LeaderChanged")
    .filter(({ component }) => component === MANAGER)
    .slice(0, 1)
    .flatMap((change) => {
      const killed = spells.findLast(({ from, what }) => what === "controller-restart" && from <= change.at)
      const began =
        killed === undefined
          ? ""
          : `, ${span(change.at - killed.from)} after the one before was lost (--leader-elect-lease-duration ${span(rules.leaseDuration)})`
      const scheduled = ofType(trace, "PodEvictionScheduled")
      const before = new Map<string, number>()
      const later: Array<{ readonly due: number; readonly by: number }> = []
      for (const { at, due, namespace, pod } of scheduled) {
        const key = `${namespace}/${pod}`
        const old = before.get(key)
        if (at < change.at && due > change.at) before.set(key, due)
        else if (old !== undefined) {
          later.push({ due, by: due - old })
          before.delete(key)
        }
      }
      const [first] = later
      const put =
        first === undefined
          ? ""
          : ` ${plural(later.length, "eviction")} due from ${clock(first.due - first.by)} on ${later.length === 1 ? "is" : "are"} put off to ${clock(first.due)} and later, by ${span(Math.round(first.by))}: the taints come off, come again, and every pod's tolerationSeconds begin anew.`
      return killed === undefined && first === undefined
        ? []
        : [
            `Another controller manager led from ${clock(change.at)} on${began}. It remembers nothing: every node is new to it and has the whole grace period of ${span(rules.grace)}.${put}`
          ]
    })

const within = (spell: Spell, at: number): boolean => at >= spell.from && at <= spell.to

/** While the API answers nobody, nothing is seen and nothing done; and what comes of it afterwards. */
export const blind: Finder = (facts) => {
  const { losses, rules, spells, trace } = facts
  const down = spells.find(({ what }) => what === "api-server-down")
  if (down === undefined) return []
  const dead = silences(facts).filter(({ from }) => within(down, from))
  const noticed = dead.flatMap((spell) => {
    const loss = losses.find(({ at, node }) => spell.on.has(node) && at > spell.from)
    return loss === undefined ? [] : [{ spell, at: loss.at, node: loss.node }]
  })
  const silent = new Set(silences(facts).flatMap(({ nodes }) => nodes))
  const healthy = losses.filter(({ at, node }) => !silent.has(node) && at > down.from && at < down.to + 120)
  const changed = ofType(trace, "LeaderChanged").find(({ at, component }) => component === MANAGER && at > down.from)
  const [late] = noticed
  const [early] = healthy
  return [
    `From ${clock(down.from)} to ${clock(down.to)} the API answered nobody: kubelets cannot report and controllers cannot act, so nothing is marked, evicted or replaced, and pods go on as they are.`,
    ...(late === undefined
      ? []
      : [
          `${late.node}, dead since ${clock(late.spell.from)}, was noticed at ${clock(late.at)}, ${span(late.at - late.spell.from)} later, and counted as ready until then: the clock begins with the API's return.`
        ]),
    ...(early === undefined
      ? changed === undefined || late !== undefined
        ? []
        : [
            `No node was lost: the controller manager could not renew its own Lease for --leader-elect-renew-deadline ${span(rules.renewDeadline)} and ended; the one that led from ${clock(changed.at)} on had never seen these nodes, and gave each a whole grace period of ${span(rules.grace)}.`
          ]
      : [
          `${plural(new Set(healthy.map(({ node }) => node)).size, "node")} that never failed ${early.at > down.to ? `were lost after the API was back (from ${clock(early.at)} on)` : "were lost"}: kubelets had renewed their Leases, but the controller's own watch still waited in its back-off and showed it the old ones, older than the ${span(rules.grace)} of --node-monitor-grace-period.${changed === undefined && !rules.leaderElect ? " Nothing had ended the controller, as it elects no leader; one that had to give up its Lease would have begun anew and lost nobody." : ""}`
        ])
  ]
}

/** Nodes that were lost by the time on their clocks. */
export const clocks: Finder = (facts) => {
  const skewed = facts.spells.filter(({ what }) => what === "clock-skew")
  const lost = skewed.flatMap((spell) => {
    const loss = facts.losses.find(({ at, node }) => during(spell, node, at))
    return loss === undefined ? [] : [{ spell, loss }]
  })
  const [first] = lost
  if (first === undefined) return []
  const { loss, spell } = first
  const back = ofType(facts.trace, "ConditionChanged").find(
    ({ at, condition, node, to }) => condition === "Ready" && node === loss.node && to === "True" && at > loss.at
  )
  const known = new Set(lost.map((one) => one.loss.node))
  const others = skewed.flatMap(({ nodes }) => nodes).filter((node) => !known.has(node))
  return [
    `${loss.node} was Unknown ${span(loss.at - spell.from)} after its clock was set back, though every request of it arrived: the controller compares no clocks, it asks whether renewTime has moved forward, for ${span(facts.rules.grace)} (--node-monitor-grace-period).${back === undefined ? "" : ` The status that its kubelet then posted counts whatever its time (${clock(back.at)}).`}${others.length === 0 ? "" : ` ${some(others)}, set forward, was never missed.`}`
  ]
}
