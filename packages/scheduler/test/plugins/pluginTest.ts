import type { Node, Pod, PodSpec } from "@rollcall/api"
import { type FilterPlugin, SchedulingCache, type SchedulingEvent, type ScorePlugin } from "../../src/index.ts"

export const hostname = "kubernetes.io/hostname"
export const zoneKey = "topology.kubernetes.io/zone"

export interface NodeParts {
  readonly labels?: Record<string, string>
  readonly spec?: Node["spec"]
  readonly status?: Node["status"]
}

/** A node of 4 CPUs and 8 GiB, labelled with its name. */
export const nodeOf = (name: string, { labels, spec, status }: NodeParts = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { [hostname]: name, ...labels } },
  ...(spec === undefined ? {} : { spec }),
  status: { allocatable: { cpu: "4", memory: "8Gi", pods: "110" }, ...status }
})

/** A pod of one container that asks for what is given. */
export const podOf = (
  name: string,
  spec: Partial<PodSpec> = {},
  requests: Record<string, string> = {},
  metadata: Partial<Pod["metadata"]> = {}
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", ...metadata },
  spec: { containers: [{ name: "c", resources: { requests } }], ...spec }
})

export const cacheOf = (...nodes: ReadonlyArray<Node>): SchedulingCache => {
  const cache = new SchedulingCache()
  for (const node of nodes) cache.setNode(node)
  return cache
}

/** Puts a pod on a node. */
export const placePod = (cache: SchedulingCache, node: string, pod: Pod): void =>
  cache.place(cache.describe({ ...pod, spec: { ...pod.spec, nodeName: node } }), node)

/** Returns a filter's reasons against each node, undefined where the pod fits; or "Skip", or the reason why it rejects the pod. */
export const filterResults = (plugin: FilterPlugin, cache: SchedulingCache, pod: Pod) => {
  const prepared = plugin.prepare(cache.describe(pod), cache)
  if (prepared._tag === "Skip") return "Skip"
  if (prepared._tag === "Reject") return prepared.rejection.reasons[0]
  if (prepared._tag !== "Check") throw new Error(`${plugin.name}: not prepared`)
  return Object.fromEntries(cache.nodes().map((node) => [node.name, prepared.check(node)?.reasons.join(", ")]))
}

/** Returns the nodes that a filter allows, in the order of their names. */
export const allowedNodes = (plugin: FilterPlugin, cache: SchedulingCache, pod: Pod): ReadonlyArray<string> => {
  const said = filterResults(plugin, cache, pod)
  if (said === undefined) return []
  if (typeof said === "string") return said === "Skip" ? cache.nodes().map(({ name }) => name) : []
  return Object.keys(said)
    .filter((name) => said[name] === undefined)
    .sort()
}

/** Returns the score of each node, or false if the plugin skips the pod. */
export const scoresOf = (plugin: ScorePlugin, cache: SchedulingCache, pod: Pod) => {
  const nodes = cache.nodes()
  const scores: Array<number> = nodes.map(() => -1)
  if (!plugin.score(cache.describe(pod), nodes, cache, scores)) return false
  if (scores.length !== nodes.length)
    throw new Error(`${plugin.name}: ${scores.length} scores of ${nodes.length} nodes`)
  return Object.fromEntries(nodes.map(({ name }, index) => [name, scores[index]]))
}

/** Returns whether the plugin's hint accepts an event for a pod that the plugin rejected. */
export const hintOf = (plugin: FilterPlugin, pod: Pod, cache = new SchedulingCache()) => {
  const info = cache.describe(pod)
  return (event: SchedulingEvent): boolean | undefined => plugin.hint?.(info, event, cache)
}

/** A node's update, as the cache sees it. */
export const nodeUpdate = (before: Node, node: Node): SchedulingEvent => {
  const cache = cacheOf(before)
  const change = cache.setNode(node)
  if (change === undefined) throw new Error("not a change")
  return { _tag: "NodeUpdated", before, node, change }
}

/** The pod on a node. */
export const podOnNode = (pod: Pod, nodeName = "n"): Pod => ({ ...pod, spec: { ...pod.spec, nodeName } })

export const noPodChange = { scaledDown: false, relabelled: false, tolerates: false }

/** An event that concerns no plugin's rule of nodes, pods or labels. */
export const unrelatedEvent: SchedulingEvent = {
  _tag: "AttachmentDeleted",
  attachment: {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: "x" },
    spec: { attacher: "x", nodeName: "x", source: {} }
  }
}
