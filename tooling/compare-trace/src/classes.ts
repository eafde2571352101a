import type { Entry, Recording, Run } from "./Recording.ts"

/**
 * Classes of interchangeable objects: their order is random, so runs are compared class by class. A node's
 * class is its zone and the faults and actions that name it; a pod's is its spec and its node's class.
 */
export interface Classes {
  readonly zoneOf: (node: string) => string
  readonly ofNode: (node: string) => string
  readonly ofPod: (namespace: string, pod: string) => string
}

export const classify = (recording: Recording, run: Run): Classes => {
  const { spec } = recording.scenario
  const zones = new Map<string, string>()
  for (const group of spec.cluster.nodes ?? []) {
    for (let index = 0; index < (group.count ?? 1); index++) zones.set(`${group.name}-${index}`, group.zone ?? "")
  }
  const happenings = new Map<string, Array<number>>()
  const named = run.trace.filter((entry) => ["FaultStarted", "FaultEnded", "Action"].includes(entry.type))
  for (const [index, entry] of named.entries()) {
    for (const node of entry.nodes ?? []) happenings.set(node, [...(happenings.get(node) ?? []), index])
  }
  const ofNode = (node: string) => `${zones.get(node) ?? node}#${(happenings.get(node) ?? []).join(".")}`
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

/** Returns the subject of an entry, and its class. */
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
