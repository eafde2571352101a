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

/** The pods of one node, and the Node itself where it is known. */
export interface NodePods {
  /** Empty: no pod names a node. */
  readonly node: string
  readonly object: Node | undefined
  readonly pods: ReadonlyArray<Pod>
}

/** Pods by the node that they are on. */
export interface PodsByNode {
  /** The nodes that pods name, each once. */
  readonly nodes: ReadonlyArray<string>
  /** Those of a node, and those that name none: they are of any. */
  readonly of: (node: string) => Result.Result<NodePods, InvalidInput>
}

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

/** The pods of a file's documents, as the API would have admitted them: priority classes that lie beside them are looked up. */
export const podsOfDocuments = Effect.fnUntraced(function* (
  file: string,
  documents: ReadonlyArray<Document>
): Effect.fn.Return<PodsByNode, InvalidInput> {
  const objects = yield* loadObjects(documents, [])
  const pods = objects.flatMap(({ kind, object, path }) => (kind === "Pod" ? [{ path, pod: object as Pod }] : []))
  const classes = objects.flatMap(({ kind, object }) => (kind === "PriorityClass" ? [object as PriorityClass] : []))
  if (pods.length === 0 && objects.length > 0) return yield* invalid(file, "", "holds no Pod")
  const values = new Map([
    [systemClusterCritical.name, systemClusterCritical.value] as const,
    [systemNodeCritical.name, systemNodeCritical.value] as const,
    ...classes.map(({ metadata, value }) => [metadata.name ?? "", value] as const)
  ])
  const usual = classes.find(({ globalDefault }) => globalDefault === true)?.value ?? 0
  return {
    nodes: [...new Set(pods.flatMap(({ pod }) => pod.spec.nodeName ?? []))],
    of: (node) => {
      const ofNode = pods.filter(({ pod }) => (pod.spec.nodeName ?? node) === node)
      for (const { path, pod } of ofNode) {
        const name = pod.spec.priorityClassName
        if (name === undefined || pod.spec.priority !== undefined || isFromManifest(pod) || values.has(name)) continue
        const where = path === "" ? "spec.priorityClassName" : `${path}.spec.priorityClassName`
        const near = didYouMean(name, values.keys())
        return Result.fail(invalid(file, where, `no PriorityClass "${name}" in the file${near}`))
      }
      const nodes = objects.flatMap(({ kind, object }) => (kind === "Node" ? [object as Node] : []))
      return Result.succeed({
        node,
        object: nodes.find(({ metadata }) => metadata.name === node),
        pods: ofNode.map(({ pod }) => admitted(pod, values, usual))
      })
    }
  }
})
