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

/** The taint key for each status of each condition. */
const taintKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: taintNotReady, Unknown: taintUnreachable },
  MemoryPressure: { True: taintMemoryPressure },
  DiskPressure: { True: taintDiskPressure },
  NetworkUnavailable: { True: taintNetworkUnavailable },
  PIDPressure: { True: taintPIDPressure }
}

const managedKeys = new Set([taintUnschedulable, ...Object.values(taintKeys).flatMap(Object.values)])

const wantedTaints = ({ spec, status }: Node): ReadonlyArray<Taint> => {
  const keys = status?.conditions?.flatMap((condition) => taintKeys[condition.type]?.[condition.status] ?? []) ?? []
  if (spec?.unschedulable === true) keys.push(taintUnschedulable)
  return keys.map((key) => ({ key, effect: "NoSchedule" }))
}

/** The node's taints that this controller manages: other keys, and other effects of the same keys, are left alone. */
const managedTaints = ({ spec }: Node): ReadonlyArray<Taint> =>
  spec?.taints?.filter(({ effect, key }) => effect === "NoSchedule" && managedKeys.has(key)) ?? []

export interface TaintDifference {
  readonly toAdd: ReadonlyArray<Taint>
  readonly toRemove: ReadonlyArray<Taint>
}

/**
 * The change that makes a node's NoSchedule taints match its conditions and spec.unschedulable; undefined if they
 * match already. A node without any condition loses a not-ready taint that admission added.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoScheduleTaintingPass.
 */
export const noScheduleDifference = (node: Node): TaintDifference | undefined => {
  const { toAdd, toRemove } = diffTaints(wantedTaints(node), managedTaints(node))
  return toAdd.length === 0 && toRemove.length === 0 ? undefined : { toAdd, toRemove }
}
