import type { Node } from "@rollcall/api"

/** Which parts of a node an update changed, of those that can matter to scheduling. */
export interface NodeChange {
  readonly allocatable: boolean
  readonly labels: boolean
  /** Taints or spec.unschedulable. */
  readonly taints: boolean
  /** The set of (type, status) pairs: heartbeats, reasons and messages do not count. */
  readonly conditions: boolean
  readonly annotations: boolean
  readonly declaredFeatures: boolean
}

type Values = Readonly<Record<string, string | number>>
const noValues: Values = {}

const sameValues = (left: Values = noValues, right: Values = noValues): boolean => {
  if (left === right) return true
  const names = Object.keys(left)
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
}

/** Whether two versions of a node have the same taints in the same order; timeAdded does not count. */
export const sameTaints = (left: Node, right: Node): boolean => {
  const before = left.spec?.taints ?? []
  const after = right.spec?.taints ?? []
  return (
    before === after ||
    (before.length === after.length &&
      before.every((taint, index) => {
        const other = after[index]
        return taint.key === other?.key && taint.value === other.value && taint.effect === other.effect
      }))
  )
}

const sameConditions = (left: Node, right: Node): boolean => {
  const before = left.status?.conditions ?? []
  const after = right.status?.conditions ?? []
  if (before === after) return true
  // The order is nearly always equal too.
  const isInOrder =
    before.length === after.length &&
    before.every(({ status, type }, index) => type === after[index]?.type && status === after[index]?.status)
  if (isInOrder) return true
  const statuses = new Map(before.map(({ status, type }) => [type, status]))
  return statuses.size === after.length && after.every(({ status, type }) => statuses.get(type) === status)
}

const sameStrings = (left: ReadonlyArray<string> | undefined, right: ReadonlyArray<string> | undefined): boolean =>
  left === right || (left?.length === right?.length && left?.every((text, index) => text === right?.[index]) === true)

/** Compares two versions of a node. Upstream: pkg/scheduler/framework/events.go NodeSchedulingPropertiesChange. */
export const nodeChange = (before: Node, after: Node): NodeChange => ({
  allocatable: !sameValues(before.status?.allocatable, after.status?.allocatable),
  labels: !sameValues(before.metadata.labels, after.metadata.labels),
  taints:
    before.spec !== after.spec &&
    ((before.spec?.unschedulable ?? false) !== (after.spec?.unschedulable ?? false) || !sameTaints(before, after)),
  conditions: !sameConditions(before, after),
  annotations: !sameValues(before.metadata.annotations, after.metadata.annotations),
  declaredFeatures: !sameStrings(before.status?.declaredFeatures, after.status?.declaredFeatures)
})

/** Whether the change can matter to scheduling at all: heartbeats cannot. */
export const isRelevant = (change: NodeChange): boolean =>
  change.allocatable ||
  change.labels ||
  change.taints ||
  change.conditions ||
  change.annotations ||
  change.declaredFeatures
