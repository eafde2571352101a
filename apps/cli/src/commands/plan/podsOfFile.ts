import {
  annotationConfigSource,
  defaultPod,
  type Node,
  type Pod,
  type PriorityClass,
  systemClusterCritical,
  systemNodeCritical
} from "@rollcall/api"
import { didYouMean, invalid } from "@rollcall/input"
import { loadObjects } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"

const SHOWN = 5

/** The one node that pods are of, if it is one. Pods that name none are of any. */
export const chooseNode = Effect.fnUntraced(function* (
  names: Iterable<string>,
  wanted: string | undefined,
  source: string
) {
  const nodes = [...new Set(names)].toSorted()
  if (wanted !== undefined) {
    if (nodes.includes(wanted)) return wanted
    return yield* invalid("command line", "--node", `no node "${wanted}" in ${source}${didYouMean(wanted, nodes)}`)
  }
  const [first = ""] = nodes
  if (nodes.length <= 1) return first
  const more = nodes.length > SHOWN ? ` and ${nodes.length - SHOWN} more` : ""
  return yield* invalid(
    "command line",
    "--node",
    `is required: ${source} has ${nodes.length} nodes, ${nodes.slice(0, SHOWN).join(", ")}${more}`
  )
})

/** Its manifest lies on the node, where nobody looks up a class. */
const isFromManifest = ({ metadata }: Pod): boolean => {
  const source = metadata.annotations?.[annotationConfigSource]
  return source !== undefined && source !== "api"
}

/** What the API would have made of a pod that was not read from it: its grace period, and the priority of its class. */
const admitted = (pod: Pod, classes: ReadonlyMap<string, number>, usual: number): Pod => {
  const complete = defaultPod(pod)
  if (complete.spec.priority !== undefined || isFromManifest(complete)) return complete
  const { priorityClassName } = complete.spec
  const priority = priorityClassName === undefined ? usual : classes.get(priorityClassName)
  return priority === undefined ? complete : { ...complete, spec: { ...complete.spec, priority } }
}

/** The pods of a file, of one node; priority classes that lie beside them are looked up. */
export const readPods = Effect.fnUntraced(function* (file: string, wanted: string | undefined) {
  const objects = yield* loadObjects(yield* readInput(file), [])
  const pods = objects.flatMap(({ kind, object, path }) => (kind === "Pod" ? [{ path, pod: object as Pod }] : []))
  const classes = objects.flatMap(({ kind, object }) => (kind === "PriorityClass" ? [object as PriorityClass] : []))
  if (pods.length === 0 && objects.length > 0) return yield* invalid(file, "", "holds no Pod")
  const values = new Map([
    [systemClusterCritical.name, systemClusterCritical.value] as const,
    [systemNodeCritical.name, systemNodeCritical.value] as const,
    ...classes.map(({ metadata, value }) => [metadata.name ?? "", value] as const)
  ])
  const usual = classes.find(({ globalDefault }) => globalDefault === true)?.value ?? 0
  const node = yield* chooseNode(
    pods.flatMap(({ pod }) => pod.spec.nodeName ?? []),
    wanted,
    file
  )
  const ofNode = pods.filter(({ pod }) => (pod.spec.nodeName ?? node) === node)
  for (const { path, pod } of ofNode) {
    const name = pod.spec.priorityClassName
    if (name === undefined || pod.spec.priority !== undefined || isFromManifest(pod) || values.has(name)) continue
    const where = path === "" ? "spec.priorityClassName" : `${path}.spec.priorityClassName`
    return yield* invalid(file, where, `no PriorityClass "${name}" in the file${didYouMean(name, values.keys())}`)
  }
  const nodes = objects.flatMap(({ kind, object }) => (kind === "Node" ? [object as Node] : []))
  const object = nodes.find(({ metadata }) => metadata.name === node)
  return { node, object, pods: ofNode.map(({ pod }) => admitted(pod, values, usual)) }
})
