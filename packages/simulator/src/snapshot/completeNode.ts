import type { KubeObject, Node, ResourceList } from "@rollcall/api"
import { DEFAULT_CAPACITY } from "@rollcall/machines"

const completeList = (list: ResourceList, fallback: ResourceList): ResourceList =>
  Object.keys(fallback).every((name) => list[name] !== undefined) ? list : { ...fallback, ...list }

/**
 * Adds default resources to a Node of a snapshot that lacks some, equal to those of its modelled machine, as its kubelet would report
 * them. Otherwise its running pods would not fit when the scheduler first sees them. Returns other objects unchanged.
 */
export const completeNode = (object: KubeObject): KubeObject => {
  if (object.kind !== "Node") return object
  const node: Node = object as Node
  const capacity = completeList(node.status?.capacity ?? {}, DEFAULT_CAPACITY)
  const allocatable = completeList(node.status?.allocatable ?? {}, capacity)
  if (capacity === node.status?.capacity && allocatable === node.status?.allocatable) return node
  const complete: Node = { ...node, status: { ...node.status, capacity, allocatable } }
  return complete
}
