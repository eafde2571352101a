import { clock, plural, some, span } from "@rollcall/text"
import { inNamespace, ownersOf } from "../owners.ts"
import { rangeOf } from "../rangeOf.ts"
import { evictionsOf } from "./evictions.ts"
import { type Facts, type Finder, groupByPod, isDuring, ofType, silentSpans, stopsContainers } from "./Facts.ts"

/** Cancellations on a node within this time belong to one return of the node. */
const SAME_RETURN_SECONDS = 30
/** A node that returns this often is flapping. */
const FLAPPING_RETURNS = 3
/** The most flapping nodes that the report explains. */
const MAX_NODES = 2
/** A deletion that completes within this time of the kubelet's return completes because of it. */
const COMPLETED_SECONDS = 120

/** Explains nodes that were lost several times and always back in time, so that their evictions were cancelled. */
export const flappingNodes: Finder = ({ result, rules, trace }) => {
  const cancellations = new Map<string, Array<number>>()
  for (const { at, node } of ofType(trace, "PodEvictionCancelled")) {
    const times = cancellations.get(node) ?? []
    if (at - (times.at(-1) ?? Number.NEGATIVE_INFINITY) > SAME_RETURN_SECONDS) times.push(at)
    cancellations.set(node, times)
  }
  const flapping = [...cancellations].filter(([, times]) => times.length >= FLAPPING_RETURNS)
  return flapping.slice(0, MAX_NODES).map(([node, times]) => {
    const waits = ofType(trace, "PodEvictionScheduled").flatMap((entry) =>
      entry.node === node ? [entry.due - entry.at] : []
    )
    const wait = rangeOf([0, ...waits])[1] || rules.toleration
    const lost = result.summary.nodes.notReadySeconds[node] ?? 0
    return `${node} was lost ${times.length} times and back each time before its pods' ${span(wait)} were over: each return removes the taint, and the next count starts at ${span(wait)} again. So no pod leaves a node that was not Ready for ${span(lost)} in total; a node that stayed lost would lose its pods after ${span(rules.grace + wait)}. Shorter tolerationSeconds, or kubectl drain, ends this.`
  })
}

interface PodName {
  readonly namespace: string
  readonly pod: string
}

/** Returns the owner (`Kind name`) whose pods at a time are exactly these, if there is one. */
const ownerOfExactly = (facts: Facts, at: number, pods: ReadonlyArray<PodName>): string | undefined => {
  const owners = new Map(facts.owners)
  for (const entry of facts.trace) {
    if (entry.at >= at) break
    if (entry.type === "PodCreated") owners.set(inNamespace(entry.namespace, entry.pod), entry.owner)
    else if (entry.type === "PodDeleted") owners.delete(inNamespace(entry.namespace, entry.pod))
  }
  const keys = new Set(pods.map(({ namespace, pod }) => inNamespace(namespace, pod)))
  const owner = owners.get(inNamespace(pods[0]?.namespace ?? "", pods[0]?.pod ?? "")) ?? null
  const namespacePrefix = `${pods[0]?.namespace ?? ""}/`
  const all = [...owners]
    .filter(([key, other]) => other === owner && key.startsWith(namespacePrefix))
    .map(([key]) => key)
  return owner !== null && all.length > 1 && all.length === pods.length && all.every((key) => keys.has(key))
    ? owner.replace("/", " ")
    : undefined
}

/** Explains deletions that waited for a kubelet that was cut off, and completed when it was back. */
export const delayedDeletions: Finder = (facts) => {
  const cutOff = silentSpans(facts).filter((fault) => fault.ended && !stopsContainers(fault))
  const deleted = groupByPod(facts.trace, "PodDeleted")
  const found = evictionsOf(facts).flatMap((request) => {
    const fault = cutOff.find((candidate) => isDuring(candidate, request.node, request.at))
    if (fault === undefined) return []
    const end = deleted.get(inNamespace(request.namespace, request.pod))?.find(({ at }) => at > request.at)
    return end !== undefined && end.at >= fault.to && end.at - fault.to < COMPLETED_SECONDS
      ? [{ request, fault, end }]
      : []
  })
  const [first] = found
  if (first === undefined) return []
  const last = found.reduce((latest, { end }) => Math.max(latest, end.at), 0)
  const owner = ownerOfExactly(
    facts,
    first.fault.to,
    found.map(({ request }) => request)
  )
  const isPlural = found.length > 1
  return [
    `${plural(found.length, "pod was", "pods were")} deleted from ${clock(first.request.at)} on but kept running: ${isPlural ? "their kubelets were" : "its kubelet was"} cut off. ${isPlural ? `All ended within ${span(Math.max(1, last - first.fault.to))} of the network's return at` : "It ended when the network was back at"} ${clock(first.fault.to)}; a deletion is not cancelled when the node recovers.${owner === undefined ? "" : ` They were all the pods of ${owner}.`}`
  ]
}

/** A pod that is Terminating for longer than this waits for a confirmation that does not come. */
const STUCK_SECONDS = 90

/** Explains StatefulSet pods that were not replaced, because no kubelet confirmed that they had ended. */
export const stuckTerminating: Finder = (facts) => {
  const owners = ownersOf(facts.trace, facts.owners)
  const deleted = groupByPod(facts.trace, "PodDeleted")
  const requests = groupByPod(facts.trace, "PodDeletionRequested")
  const end = facts.result.spec.durationSeconds
  const silences = silentSpans(facts)
  const found = evictionsOf(facts).flatMap(({ at, namespace, node, pod }) => {
    const key = inNamespace(namespace, pod)
    if (owners.get(key)?.startsWith("StatefulSet/") !== true) return []
    const gone = deleted.get(key)?.find((entry) => entry.at >= at)
    if ((gone?.at ?? end) - at < STUCK_SECONDS) return []
    // Pods that end when their kubelet is connected again are reported by `delayedDeletions`.
    if (silences.some((fault) => !stopsContainers(fault) && fault.ended && isDuring(fault, node, at))) return []
    const forced = requests
      .get(key)
      ?.find((entry) => entry.gracePeriodSeconds === 0 && entry.at >= at && entry.at <= (gone?.at ?? end))
    return [{ pod, at, gone: gone?.at, by: forced?.by }]
  })
  const [first] = found
  if (first === undefined) return []
  const why =
    "its kubelet cannot confirm that it has ended, and a StatefulSet creates no second pod of the same name while the first may run; a Deployment does not wait"
  const pods = some(found.map(({ pod }) => pod))
  if (first.gone === undefined) {
    return [
      `${pods}, deleted at ${clock(first.at)}, still Terminating at the end, ${span(end - first.at)} later: ${why}. With the taint node.kubernetes.io/out-of-service, once the machine is certainly off, the pod garbage collector would remove it within 20s; deleting the Node or booting the machine also ends this.`
    ]
  }
  const how =
    first.by === "pod-gc"
      ? "the pod garbage collector, which runs each 20s, force-deleted it: the node was out of service or deleted"
      : "it was removed"
  return [
    `${pods}, deleted at ${clock(first.at)}, stayed Terminating for ${span(first.gone - first.at)}: ${why}. At ${clock(first.gone)} ${how}.`
  ]
}
