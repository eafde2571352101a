import type { Node } from "@rollcall/api"

/** The changes of a node that can matter to scheduling. */
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
const none: Values = {}

const sameValues = (left: Values = none, right: Values = none): boolean => {
  if (left === right) return true
  const names = Object.keys(left)
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
}

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
  const statuses = new Map(before.map(({ status, type }) => [type, status]))
  return statuses.size === after.length && after.every(({ status, type }) => statuses.get(type) === status)
}

const sameTexts = (left: ReadonlyArray<string> | undefined, right: ReadonlyArray<string> | undefined): boolean =>
  left === right || (left?.length === right?.length && left?.every((text, index) => text === right?.[index]) === true)

/** Upstream: staging/src/k8s.io/kube-scheduler, pkg/scheduler/framework/events.go NodeSchedulingPropertiesChange. */
export const nodeChange = (before: Node, after: Node): NodeChange => ({
  allocatable: !sameValues(before.status?.allocatable, after.status?.allocatable),
  labels: !sameValues(before.metadata.labels, after.metadata.labels),
  taints:
    before.spec !== after.spec &&
    ((before.spec?.unschedulable ?? false) !== (after.spec?.unschedulable ?? false) || !sameTaints(before, after)),
  conditions: !sameConditions(before, after),
  annotations: !sameValues(before.metadata.annotations, after.metadata.annotations),
  declaredFeatures: !sameTexts(before.status?.declaredFeatures, after.status?.declaredFeatures)
})

export const isRelevant = (change: NodeChange): boolean =>
  change.allocatable ||
  change.labels ||
  change.taints ||
  change.conditions ||
  change.annotations ||
  change.declaredFeatures
