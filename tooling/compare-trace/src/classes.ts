import type { Entry, Recording, Run } from "./Recording.ts"

/**
 * Classes of interchangeable objects. Their order is random, so runs are compared class by class. A node's class is its zone and the faults
 * and actions that name it; a pod's class is its spec and the class of its node.
 */
export interface Classes {
  readonly zoneOf: (node: string) => string
  readonly ofNode: (node: string) => string
  readonly ofPod: (namespace: string, pod: string) => string
}

/** Returns the classes of the objects of a run of the recording's scenario. */
export const classify = (recording: Recording, run: Run): Classes => {
  const { spec } = recording.scenario
  const zones = new Map<string, string>()
  for (const group of spec.cluster.nodes ?? []) {
    for (let index = 0; index < (group.count ?? 1); index++) zones.set(`${group.name}-${index}`, group.zone ?? "")
  }
  /** The indexes of the faults and actions that name each node. */
  const eventsOfNode = new Map<string, Array<number>>()
  const events = run.trace.filter((entry) => ["FaultStarted", "FaultEnded", "Action"].includes(entry.type))
  for (const [index, entry] of events.entries()) {
    for (const node of entry.nodes ?? []) eventsOfNode.set(node, [...(eventsOfNode.get(node) ?? []), index])
  }
  const ofNode = (node: string) => `${zones.get(node) ?? node}#${(eventsOfNode.get(node) ?? []).join(".")}`
  const pods = new Map<string, string>()
  const objects = [...(spec.cluster.objects ?? []), ...(spec.events ?? []).flatMap((event) => event.objects ?? [])]
  for (const { kind, metadata, spec: podSpec } of objects) {
    if (kind !== "Pod") continue
    const { nodeName, ...rest } = podSpec ?? {}
    const shape = JSON.stringify(rest)
    pods.set(`${metadata.namespace ?? "default"}/${metadata.name}`, `${shape}@${ofNode(String(nodeName ?? ""))}`)
  }
  const zoneOf = (node: string) => zones.get(node) ?? node
  return { zoneOf, ofNode, ofPod: (namespace, pod) => pods.get(`${namespace}/${pod}`) ?? `${namespace}/${pod}` }
}

/** Returns the name and the class of an entry's pod or node, or undefined if it has neither. */
export const subjectOf = (
  entry: Entry,
  classes: Classes
): { readonly name: string; readonly kind: string } | undefined => {
  if (entry.pod !== undefined) {
    return { name: `${entry.namespace}/${entry.pod}`, kind: classes.ofPod(entry.namespace ?? "", entry.pod) }
  }
  if (entry.node !== undefined) return { name: entry.node, kind: classes.ofNode(entry.node) }
  return undefined
}
