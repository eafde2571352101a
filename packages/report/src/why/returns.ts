import { clock, plural, some, span } from "@rollcall/text"
import { inNamespace, ownersOf } from "../owners.ts"
import { rangeOf } from "../rangeOf.ts"
import { evictionsOf } from "./evictions.ts"
import { during, type Facts, type Finder, kills, ofPods, ofType, silences } from "./Facts.ts"

/** Evictions that were called off, because nodes came back in time; and nodes that do so again and again. */
export const forgiven: Finder = ({ result, rules, trace }) => {
  const rounds = new Map<string, Array<number>>()
  for (const { at, node } of ofType(trace, "PodEvictionCancelled")) {
    const times = rounds.get(node) ?? []
    if (at - (times.at(-1) ?? Number.NEGATIVE_INFINITY) > 30) times.push(at)
    rounds.set(node, times)
  }
  const flapping = [...rounds].filter(([, times]) => times.length > 2)
  return flapping.slice(0, 2).map(([node, times]) => {
    const waits = ofType(trace, "PodEvictionScheduled").flatMap((entry) =>
      entry.node === node ? [entry.due - entry.at] : []
    )
    const wait = rangeOf([0, ...waits])[1] || rules.toleration
    const lost = result.summary.nodes.notReadySeconds[node] ?? 0
    return `${node} was lost ${times.length} times and back each time before its pods' ${span(wait)} were over: each return takes the taint off, and the next count begins at ${span(wait)} again. So nobody moves from a node that was not Ready for ${span(lost)} in all; one that stayed away would lose its pods after ${span(rules.grace + wait)}. Shorter tolerationSeconds, or taking the node out by hand (kubectl drain), ends it.`
  })
}

interface Named {
  readonly namespace: string
  readonly pod: string
}

/** The owner that has no pods at an instant but these. */
const wholeOwner = (facts: Facts, at: number, pods: ReadonlyArray<Named>): string | undefined => {
  const owners = new Map(facts.owners)
  for (const entry of facts.trace) {
    if (entry.at >= at) break
    if (entry.type === "PodCreated") owners.set(inNamespace(entry.namespace, entry.pod), entry.owner)
    else if (entry.type === "PodDeleted") owners.delete(inNamespace(entry.namespace, entry.pod))
  }
  const keys = new Set(pods.map(({ namespace, pod }) => inNamespace(namespace, pod)))
  const owner = owners.get(inNamespace(pods[0]?.namespace ?? "", pods[0]?.pod ?? "")) ?? null
  const within = `${pods[0]?.namespace ?? ""}/`
  const all = [...owners].filter(([key, other]) => other === owner && key.startsWith(within)).map(([key]) => key)
  return owner !== null && all.length > 1 && all.length === pods.length && all.every((key) => keys.has(key))
    ? owner.replace("/", " ")
    : undefined
}

/** Deletions that waited for a cut-off kubelet, and were done when it was back. */
export const queued: Finder = (facts) => {
  const cut = silences(facts).filter((spell) => spell.ended && !kills(spell))
  const deleted = ofPods(facts.trace, "PodDeleted")
  const found = evictionsOf(facts).flatMap((request) => {
    const spell = cut.find((candidate) => during(candidate, request.node, request.at))
    if (spell === undefined) return []
    const end = deleted.get(inNamespace(request.namespace, request.pod))?.find(({ at }) => at > request.at)
    return end !== undefined && end.at >= spell.to && end.at - spell.to < 120 ? [{ request, spell, end }] : []
  })
  const [first] = found
  if (first === undefined) return []
  const last = found.reduce((latest, { end }) => Math.max(latest, end.at), 0)
  const whole = wholeOwner(
    facts,
    first.spell.to,
    found.map(({ request }) => request)
  )
  const waited = `from ${clock(first.request.at)} on`
  return [
    `${plural(found.length, "pod")} asked to go ${waited} ran on: nobody can tell a kubelet that is cut off. ${found.length > 1 ? `All ended within ${span(Math.max(1, last - first.spell.to))} of the network's return at` : "It ended when the network was back at"} ${clock(first.spell.to)}; a deletion is not taken back because the node is well again.${whole === undefined ? "" : ` They were all that ${whole} had.`}`
  ]
}

const STUCK_SECONDS = 90

/** Members of StatefulSets that nobody may replace, as nobody confirms that they have ended. */
export const stuck: Finder = (facts) => {
  const owners = ownersOf(facts.trace, facts.owners)
  const deleted = ofPods(facts.trace, "PodDeleted")
  const requests = ofPods(facts.trace, "PodDeletionRequested")
  const end = facts.result.spec.durationSeconds
  const cut = silences(facts)
  const found = evictionsOf(facts).flatMap(({ at, namespace, node, pod }) => {
    const key = inNamespace(namespace, pod)
    if (owners.get(key)?.startsWith("StatefulSet/") !== true) return []
    const gone = deleted.get(key)?.find((entry) => entry.at >= at)
    if ((gone?.at ?? end) - at < STUCK_SECONDS) return []
    // Those that end when their machine is heard again are told of elsewhere.
    if (cut.some((spell) => !kills(spell) && spell.ended && during(spell, node, at))) return []
    const forced = requests
      .get(key)
      ?.find((entry) => entry.gracePeriodSeconds === 0 && entry.at >= at && entry.at <= (gone?.at ?? end))
    return [{ pod, at, gone: gone?.at, by: forced?.by }]
  })
  const [first] = found
  if (first === undefined) return []
  const why =
    "its kubelet cannot confirm that it has ended, and a StatefulSet makes no second pod of a name while the first may run; a Deployment does not wait"
  const pods = some(found.map(({ pod }) => pod))
  if (first.gone === undefined) {
    return [
      `${pods} asked to go at ${clock(first.at)} and still Terminating at the end, ${span(end - first.at)} later: ${why}. The taint node.kubernetes.io/out-of-service, once the machine is surely off, would let the pod garbage collector remove it within 20s; so would deleting the Node, or booting the machine.`
    ]
  }
  const how =
    first.by === "pod-gc"
      ? "the pod garbage collector, which looks each 20s, removed it by force: the node was out of service, or gone"
      : "it was removed"
  return [
    `${pods} asked to go at ${clock(first.at)} stayed Terminating for ${span(first.gone - first.at)}: ${why}. At ${clock(first.gone)} ${how}.`
  ]
}
