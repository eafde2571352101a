/** The causes of a pod's deletion. */
export const deletedBy = [
  "taint-eviction",
  "device-taint-eviction",
  "node-controller",
  "node-pressure",
  "drain",
  "pod-gc",
  "node-shutdown",
  "preemption",
  "workload",
  "user"
] as const
export type DeletedBy = (typeof deletedBy)[number]

/** Returns whether a pod was deleted because its node is lost: by taint eviction, or in early releases by the node controller. */
export const isEviction = (by: DeletedBy): boolean => by === "taint-eviction" || by === "node-controller"

interface OfPod {
  readonly namespace: string
  readonly pod: string
}
interface OnNode extends OfPod {
  readonly node: string
}
interface OfZone {
  readonly region: string
  readonly zone: string
}
interface OfTaint {
  readonly node: string
  readonly key: string
  readonly effect: string
  readonly value: string
  readonly timeAdded: string | null
}

/** The fields of each type of trace entry, other than `at` and `type`. */
export interface TraceFields {
  readonly FaultStarted: { readonly fault: string; readonly nodes: ReadonlyArray<string> }
  readonly FaultEnded: { readonly fault: string; readonly nodes: ReadonlyArray<string> }
  readonly Action: { readonly do: string; readonly nodes: ReadonlyArray<string> }
  readonly NodeRegistered: { readonly node: string }
  readonly NodeDeleted: { readonly node: string }
  /** `from` is null if the node got the condition, `to` if it lost it. */
  readonly ConditionChanged: {
    readonly node: string
    /** The type of the condition: `Ready`. */
    readonly condition: string
    readonly from: string | null
    readonly to: string | null
    readonly reason: string
    readonly message: string
  }
  readonly TaintAdded: OfTaint
  readonly TaintRemoved: OfTaint
  readonly TaintChanged: OfTaint
  readonly CordonChanged: { readonly node: string; readonly unschedulable: boolean }
  readonly ZoneCreated: OfZone
  readonly ZoneStateChanged: OfZone & { readonly from: string; readonly to: string }
  /** The rate at which the controller taints nodes of the zone changed; 0 is stopped. */
  readonly ZoneRateChanged: OfZone & { readonly nodesPerSecond: number }
  /** Every zone is fully disrupted (`entered`), or no longer: while it is, no node is tainted and no pod evicted for it. */
  readonly AllZonesDown: { readonly entered: boolean }
  /** `owner` is `Kind/name` of the controller; `node` is present if the pod was created with a node. */
  readonly PodCreated: OfPod & { readonly owner: string | null; readonly node?: string }
  readonly PodScheduled: OnNode
  readonly PodUnschedulable: OfPod & { readonly message: string }
  readonly PodPhaseChanged: OnNode & { readonly from: string; readonly to: string; readonly reason: string }
  readonly ContainerSwapLimited: OnNode & {
    readonly container: string
    readonly behaviour: string
    readonly limit: string
  }
  readonly PodReadyChanged: OnNode & { readonly ready: boolean }
  readonly PodConditionChanged: OnNode & {
    readonly condition: string
    readonly status: string
    readonly reason: string
  }
  /** `due` is virtual seconds since the start. */
  readonly PodEvictionScheduled: OnNode & { readonly due: number }
  readonly PodEvictionCancelled: OnNode
  readonly PodDeletionRequested: OnNode & { readonly by: DeletedBy; readonly gracePeriodSeconds: number }
  readonly PodRejected: OnNode & { readonly reason: string; readonly message: string }
  readonly PodDeleted: OnNode
  readonly ShutdownStarted: { readonly node: string; readonly delaySeconds: number }
  readonly ShutdownPhase: {
    readonly node: string
    readonly priority: number
    readonly graceSeconds: number
    readonly pods: ReadonlyArray<{ readonly namespace: string; readonly pod: string; readonly graceSeconds: number }>
  }
  readonly ShutdownCancelled: { readonly node: string }
  /** `cutOff`: the machine powered off before its pods had ended. */
  readonly ShutdownFinished: { readonly node: string; readonly cutOff: boolean }
  readonly VolumeDetached: { readonly node: string; readonly volume: string; readonly forced: boolean }
  /** Two pods with the same StatefulSet identity run at the same time: on the node of the older pod, then of the newer. */
  readonly SplitBrain: OfPod & { readonly nodes: readonly [string, string] }
  readonly CidrAssigned: { readonly node: string; readonly cidrs: ReadonlyArray<string> }
  readonly CidrReleased: { readonly node: string; readonly cidrs: ReadonlyArray<string> }
  readonly LeaderChanged: { readonly component: string; readonly holder: string }
  readonly LeaseRenewed: { readonly node: string; readonly renewTime: string }
}

export type TraceType = keyof TraceFields

// A record of all types, so that the compiler reports a missing one.
const everyType: Readonly<Record<TraceType, true>> = {
  FaultStarted: true,
  FaultEnded: true,
  Action: true,
  NodeRegistered: true,
  NodeDeleted: true,
  ConditionChanged: true,
  TaintAdded: true,
  TaintRemoved: true,
  TaintChanged: true,
  CordonChanged: true,
  ZoneCreated: true,
  ZoneStateChanged: true,
  ZoneRateChanged: true,
  AllZonesDown: true,
  PodCreated: true,
  PodScheduled: true,
  PodUnschedulable: true,
  PodPhaseChanged: true,
  ContainerSwapLimited: true,
  PodReadyChanged: true,
  PodConditionChanged: true,
  PodEvictionScheduled: true,
  PodEvictionCancelled: true,
  PodDeletionRequested: true,
  PodRejected: true,
  PodDeleted: true,
  ShutdownStarted: true,
  ShutdownPhase: true,
  ShutdownCancelled: true,
  ShutdownFinished: true,
  VolumeDetached: true,
  SplitBrain: true,
  CidrAssigned: true,
  CidrReleased: true,
  LeaderChanged: true,
  LeaseRenewed: true
}
export const traceTypes: ReadonlyArray<string> = Object.keys(everyType)

/** One trace entry. `at` is virtual seconds since the start, rounded to the millisecond. */
export type TraceEntry = {
  readonly [Type in TraceType]: { readonly at: number; readonly type: Type } & TraceFields[Type]
}[TraceType]

export type TraceEntryOf<Type extends TraceType> = Extract<TraceEntry, { readonly type: Type }>
