import type { KubeObject, Node, ResourceList } from "@rollcall/api"
import { DEFAULT_CAPACITY } from "@rollcall/machines"

const completeList = (list: ResourceList, fallback: ResourceList): ResourceList =>
  Object.keys(fallback).every((name) => list[name] !== undefined) ? list : { ...fallback, ...list }

/**
 * A node of a snapshot with the resources that its machine is given where the snapshot names none, as its kubelet would have
 * written them: else the pods that run there would not fit into it at the first look.
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
