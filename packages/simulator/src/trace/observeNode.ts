import type { Node, Taint } from "@rollcall/api"
import type { Trace } from "./Trace.ts"

const isSameTaint = (left: Taint, right: Taint): boolean => left.key === right.key && left.effect === right.effect

const taintFields = (node: string, taint: Taint) => ({
  node,
  key: taint.key,
  effect: taint.effect,
  value: taint.value ?? "",
  timeAdded: taint.timeAdded ?? null
})

const observeTaints = (trace: Trace, name: string, before: ReadonlyArray<Taint>, after: ReadonlyArray<Taint>): void => {
  // Updates share what they do not change, so equal arrays mean equal taints.
  if (before === after) return
  for (const taint of after) {
    const old = before.find((other) => isSameTaint(other, taint))
    if (old === undefined) trace.add("TaintAdded", taintFields(name, taint))
    else if (old.value !== taint.value || old.timeAdded !== taint.timeAdded) {
      trace.add("TaintChanged", taintFields(name, taint))
    }
  }
  for (const taint of before) {
    if (!after.some((other) => isSameTaint(other, taint))) trace.add("TaintRemoved", taintFields(name, taint))
  }
}

const observeConditions = (trace: Trace, name: string, previous: Node | undefined, next: Node): void => {
  const before = previous?.status?.conditions
  const after = next.status?.conditions
  // Updates share what they do not change, so equal arrays mean equal conditions.
  if (before === after) return
  for (const condition of after ?? []) {
    const old = before?.find((other) => other.type === condition.type)
    if (old?.status === condition.status) continue
    trace.add("ConditionChanged", {
      node: name,
      condition: condition.type,
      from: old?.status ?? null,
      to: condition.status,
      reason: condition.reason ?? "",
      message: condition.message ?? ""
    })
  }
  for (const condition of before ?? []) {
    if (after?.some((other) => other.type === condition.type) === true) continue
    const { type, status } = condition
    trace.add("ConditionChanged", { node: name, condition: type, from: status, to: null, reason: "", message: "" })
  }
}

const noTaints: ReadonlyArray<Taint> = []

/** Adds the trace entries for one change of a Node object. */
export const observeNode = (trace: Trace, previous: Node | undefined, next: Node | undefined): void => {
  if (next === undefined) {
    if (previous !== undefined) trace.add("NodeDeleted", { node: previous.metadata.name ?? "" })
    return
  }
  const name = next.metadata.name ?? ""
  if (previous === undefined) trace.add("NodeRegistered", { node: name })
  observeConditions(trace, name, previous, next)
  observeTaints(trace, name, previous?.spec?.taints ?? noTaints, next.spec?.taints ?? noTaints)
  const unschedulable = next.spec?.unschedulable === true
  if ((previous?.spec?.unschedulable === true) !== unschedulable)
    trace.add("CordonChanged", { node: name, unschedulable })
}
