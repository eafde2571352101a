import { compareQuantity, type Node, type NodeCondition, type NodeStatus, type ResourceList } from "@rollcall/api"
import * as Predicate from "effect/Predicate"

type Json = unknown

/** Whether Go decodes the value to the zero value, like a missing field. */
const isZero = (value: Json): boolean =>
  !value ||
  (Array.isArray(value) ? value.length === 0 : Predicate.isReadonlyObject(value) && Object.values(value).every(isZero))

/** Whether two values are equal as decoded Go structs: a missing value equals the zero value, and lists are ordered. */
export const semanticEqual = (left: Json, right: Json): boolean => {
  if (left === right) return true
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => semanticEqual(item, right[index]))
  }
  if (!Predicate.isReadonlyObject(left) || !Predicate.isReadonlyObject(right)) return isZero(left) && isZero(right)
  for (const key in left) if (!semanticEqual(left[key], right[key])) return false
  for (const key in right) if (left[key] === undefined && !isZero(right[key])) return false
  return true
}

/** Whether quantities are equal by value. A zero entry differs from a missing one. */
const sameResources = (left: ResourceList = {}, right: ResourceList = {}): boolean => {
  if (left === right) return true
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => {
      const a = left[name]
      const b = right[name]
      return a !== undefined && b !== undefined && (a === b || compareQuantity(a, b) === 0)
    })
  )
}

const sameCondition = (left: NodeCondition, right: NodeCondition): boolean =>
  left === right ||
  (left.type === right.type &&
    left.status === right.status &&
    (left.reason ?? "") === (right.reason ?? "") &&
    (left.message ?? "") === (right.message ?? "") &&
    left.lastTransitionTime === right.lastTransitionTime)

const byType = (left: NodeCondition, right: NodeCondition): number =>
  left.type < right.type ? -1 : left.type > right.type ? 1 : 0

/** Whether conditions are equal except for heartbeat times and order. */
const sameConditions = (left: ReadonlyArray<NodeCondition> = [], right: ReadonlyArray<NodeCondition> = []): boolean => {
  if (left === right) return true
  if (left.length !== right.length) return false
  // The order is nearly always equal too: sort only if it is not.
  if (left.every((condition, index) => sameCondition(condition, right[index] as NodeCondition))) return true
  const sorted = right.toSorted(byType)
  return left.toSorted(byType).every((condition, index) => sameCondition(condition, sorted[index] as NodeCondition))
}

const comparedApart = new Set(["conditions", "capacity", "allocatable"])

/**
 * Whether a newly computed status differs from the server's, so that it must be posted.
 * Upstream: pkg/kubelet/kubelet_node_status.go nodeStatusHasChanged.
 */
export const nodeStatusChanged = (original: NodeStatus, updated: NodeStatus): boolean => {
  if (original === updated) return false
  if (!sameConditions(original.conditions, updated.conditions)) return true
  if (!sameResources(original.capacity, updated.capacity)) return true
  if (!sameResources(original.allocatable, updated.allocatable)) return true
  const before: Readonly<Record<string, Json>> = { ...original }
  const after: Readonly<Record<string, Json>> = { ...updated }
  for (const key in { ...before, ...after }) {
    if (!comparedApart.has(key) && !semanticEqual(before[key], after[key])) return true
  }
  return false
}

/** Returns the pod ranges of a Node, comma-joined. */
export const joinedPodCIDRs = ({ spec }: Node): string => spec?.podCIDRs?.join(",") ?? ""

/** Whether the status must be posted: what the setters computed differs, or the pod ranges are not those of the last update. */
export const needsPost = (
  read: Node,
  { node, relabelled }: { readonly node: Node; readonly relabelled: boolean },
  lastPodCIDRs: string
): boolean => {
  const cidrs = joinedPodCIDRs(read)
  if (relabelled || (cidrs !== "" && cidrs !== lastPodCIDRs)) return true
  return nodeStatusChanged(read.status ?? {}, node.status ?? {})
}
