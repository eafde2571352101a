/** Who asked for a pod's deletion. */
export type DeletedBy =
  | "taint-eviction"
  | "node-pressure"
  | "drain"
  | "pod-gc"
  | "node-shutdown"
  | "preemption"
  | "workload"
  | "user"

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

/** The fields of each type of trace entry beside `at` and `type`. */
export interface TraceFields {
  readonly FaultStarted: { readonly fault: string; readonly nodes: ReadonlyArray<string> }
  readonly FaultEnded: { readonly fault: string; readonly nodes: ReadonlyArray<string> }
  readonly Action: { readonly do: string; readonly nodes: ReadonlyArray<string> }
  readonly NodeRegistered: { readonly node: string }
  readonly NodeDeleted: { readonly node: string }
  readonly ConditionChanged: {
    readonly node: string
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
  readonly ZoneRateChanged: OfZone & { readonly nodesPerSecond: number }
  readonly AllZonesDown: { readonly entered: boolean }
  readonly PodCreated: OfPod & { readonly owner: string | null; readonly node?: string }
  readonly PodScheduled: OnNode
  readonly PodUnschedulable: OfPod & { readonly message: string }
  readonly PodPhaseChanged: OnNode & { readonly from: string; readonly to: string; readonly reason: string }
  readonly PodReadyChanged: OnNode & { readonly ready: boolean }
  readonly PodConditionChanged: OnNode & {
    readonly condition: string
    readonly status: string
    readonly reason: string
  }
  readonly PodEvictionScheduled: OnNode & { readonly due: number }
  readonly PodEvictionCancelled: OnNode
  readonly PodDeletionRequested: OnNode & { readonly by: DeletedBy; readonly gracePeriodSeconds: number }
  readonly PodRejected: OnNode & { readonly reason: string; readonly message: string }
  readonly PodDeleted: OnNode
  readonly LeaseRenewed: { readonly node: string; readonly renewTime: string }
}

export type TraceType = keyof TraceFields

/** What happened, and when: `at` is virtual seconds since the start, to the millisecond. */
export type TraceEntry = {
  readonly [Type in TraceType]: { readonly at: number; readonly type: Type } & TraceFields[Type]
}[TraceType]

export type TraceEntryOf<Type extends TraceType> = Extract<TraceEntry, { readonly type: Type }>
