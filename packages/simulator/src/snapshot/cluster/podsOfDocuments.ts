import {
  annotationConfigSource,
  defaultPod,
  type Node,
  type Pod,
  type PriorityClass,
  systemClusterCritical,
  systemNodeCritical
} from "@rollcall/api"
import { didYouMean, type InvalidInput, invalid } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { loadObjects } from "../../input/objects.ts"

/** The pods of one node, and the Node object if the file has it. */
export interface NodePods {
  /** The name of the node; "" if no pod has a nodeName. */
  readonly node: string
  readonly object: Node | undefined
  readonly pods: ReadonlyArray<Pod>
}

/** Pods by their node. */
export interface PodsByNode {
  /** The distinct nodeNames of the pods. */
  readonly nodes: ReadonlyArray<string>
  /** The names of these and of the file's Nodes. */
  readonly knownNodes: ReadonlyArray<string>
  /** Returns the pods of a node, including manifests without a nodeName. Fails if one has a priority class that the file lacks. */
  readonly of: (node: string) => Result.Result<NodePods, InvalidInput>
}

/** Returns whether a pod is a static pod, whose kubelet does not look up its priority class. */
const isStaticPod = ({ metadata }: Pod): boolean => {
  const source = metadata.annotations?.[annotationConfigSource]
  return source !== undefined && source !== "api"
}

/** Returns whether a pod waits for a node. Only an API server sets a resourceVersion: a manifest without a nodeName is for any node. */
const isUnscheduled = ({ metadata, spec }: Pod): boolean =>
  (spec.nodeName ?? "") === "" && metadata.resourceVersion !== undefined

/** Applies the API's defaults to a pod from a file: its grace period, and the priority of its class. */
const withDefaults = (pod: Pod, priorities: ReadonlyMap<string, number>, defaultPriority: number): Pod => {
  const complete = defaultPod(pod)
  if (complete.spec.priority !== undefined || isStaticPod(complete)) return complete
  const { priorityClassName } = complete.spec
  const priority = priorityClassName === undefined ? defaultPriority : priorities.get(priorityClassName)
  return priority === undefined ? complete : { ...complete, spec: { ...complete.spec, priority } }
}

/** Loads the pods of a file's documents as the API would have admitted them, with priorities from the file's PriorityClasses. */
export const podsOfDocuments = Effect.fnUntraced(function* (
  file: string,
  documents: ReadonlyArray<Document>
): Effect.fn.Return<PodsByNode, InvalidInput> {
  const objects = yield* loadObjects(documents, [])
  const pods = objects.flatMap(({ kind, object, path }) => (kind === "Pod" ? [{ path, pod: object as Pod }] : []))
  const classes = objects.flatMap(({ kind, object }) => (kind === "PriorityClass" ? [object as PriorityClass] : []))
  if (pods.length === 0 && objects.length > 0) return yield* invalid(file, "", "holds no Pod")
  const priorities = new Map([
    [systemClusterCritical.name, systemClusterCritical.value] as const,
    [systemNodeCritical.name, systemNodeCritical.value] as const,
    ...classes.map(({ metadata, value }) => [metadata.name ?? "", value] as const)
  ])
  const defaultPriority = classes.find(({ globalDefault }) => globalDefault === true)?.value ?? 0
  const nodes = objects.flatMap(({ kind, object }) => (kind === "Node" ? [object as Node] : []))
  const used = [...new Set(pods.flatMap(({ pod }) => pod.spec.nodeName ?? []))]
  return {
    nodes: used,
    knownNodes: [...new Set([...used, ...nodes.flatMap(({ metadata }) => metadata.name ?? [])])],
    of: (node) => {
      const ofNode = pods.filter(({ pod }) => !isUnscheduled(pod) && (pod.spec.nodeName ?? node) === node)
      for (const { path, pod } of ofNode) {
        const name = pod.spec.priorityClassName
        if (name === undefined || pod.spec.priority !== undefined || isStaticPod(pod) || priorities.has(name)) continue
        const where = path === "" ? "spec.priorityClassName" : `${path}.spec.priorityClassName`
        const near = didYouMean(name, priorities.keys())
        return Result.fail(invalid(file, where, `no PriorityClass "${name}" in the file${near}`))
      }
      return Result.succeed({
        node,
        object: nodes.find(({ metadata }) => metadata.name === node),
        pods: ofNode.map(({ pod }) => withDefaults(pod, priorities, defaultPriority))
      })
    }
  }
})
