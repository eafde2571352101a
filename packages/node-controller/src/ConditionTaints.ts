import {
  diffTaints,
  type Node,
  type Taint,
  taintDiskPressure,
  taintMemoryPressure,
  taintNetworkUnavailable,
  taintNotReady,
  taintPIDPressure,
  taintUnreachable,
  taintUnschedulable
} from "@rollcall/api"

/** Which status of which condition asks for which taint. */
const taintKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: taintNotReady, Unknown: taintUnreachable },
  MemoryPressure: { True: taintMemoryPressure },
  DiskPressure: { True: taintDiskPressure },
  NetworkUnavailable: { True: taintNetworkUnavailable },
  PIDPressure: { True: taintPIDPressure }
}

const managedKeys = new Set([taintUnschedulable, ...Object.values(taintKeys).flatMap(Object.values)])

const none: ReadonlyArray<Taint> = []

const wantedTaints = (node: Node): ReadonlyArray<Taint> => {
  let wanted: Array<Taint> | undefined
  for (const condition of node.status?.conditions ?? []) {
    const key = taintKeys[condition.type]?.[condition.status]
    if (key === undefined) continue
    wanted ??= []
    wanted.push({ key, effect: "NoSchedule" })
  }
  if (node.spec?.unschedulable === true) {
    wanted ??= []
    wanted.push({ key: taintUnschedulable, effect: "NoSchedule" })
  }
  return wanted ?? none
}

/** Other effects of the same keys, and foreign keys, are none of this worker's business. */
const managedTaints = (node: Node): ReadonlyArray<Taint> => {
  const taints = node.spec?.taints
  if (taints === undefined || taints.length === 0) return none
  return taints.filter((taint) => taint.effect === "NoSchedule" && managedKeys.has(taint.key))
}

export interface TaintDifference {
  readonly toAdd: ReadonlyArray<Taint>
  readonly toRemove: ReadonlyArray<Taint>
}

/**
 * What must change for a node's NoSchedule taints to say what its conditions and spec.unschedulable say; undefined when
 * they do. A node without any condition loses a not-ready taint that admission gave it.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoScheduleTaintingPass.
 */
export const noScheduleDifference = (node: Node): TaintDifference | undefined => {
  const wanted = wantedTaints(node)
  const present = managedTaints(node)
  if (wanted.length === 0 && present.length === 0) return undefined
  const { toAdd, toRemove } = diffTaints(wanted, present)
  return toAdd.length === 0 && toRemove.length === 0 ? undefined : { toAdd, toRemove }
}
