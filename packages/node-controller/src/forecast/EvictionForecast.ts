import type { ConditionStatus, Lease, Node, Pod, Taint } from "@rollcall/api"
import type { ZoneState } from "@rollcall/eviction/rules"
import type { NodeLifecycleSettings } from "../lifecycle/NodeLifecycleSettings.ts"

/** The state of a cluster in its API at one instant. */
export interface ForecastInput {
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  /** The leases of kube-node-lease; undefined if they are not known: then no node can be found silent. */
  readonly leases: ReadonlyArray<Lease> | undefined
  readonly pods: ReadonlyArray<Pod>
  readonly settings: NodeLifecycleSettings
  /** Gate NodeOutOfServiceVolumeDetach: the pod garbage collector removes terminating pods of out-of-service nodes. */
  readonly outOfService: boolean
  /** Gate TaintTolerationComparisonOperators. */
  readonly comparisonOperators?: boolean
}

/** Why nodes of a zone are not acted on, as long as nothing changes. */
export type StopReason =
  /** No node of any zone is ready: the control plane is more likely to be cut off. */
  | "all-zones-down"
  /** A zone that is not large is in partial disruption. */
  | "partial-disruption"
  /** The current rate is 0. */
  | "rate"

/** The rate at which a zone's nodes are acted on. */
export interface ZonePace {
  readonly state: ZoneState
  /** Nodes per second; 0 means that no node is acted on. */
  readonly nodesPerSecond: number
  readonly stoppedBy: StopReason | undefined
}

export interface ZoneForecast extends ZonePace {
  readonly zoneKey: string
  readonly region: string
  readonly zone: string
  /** Counted nodes, by whether they are ready now. */
  readonly ready: number
  readonly notReady: number
  /** The queued nodes, in order. */
  readonly waiting: ReadonlyArray<string>
  /** State changes to come, as already silent nodes become Unknown. */
  readonly changes: ReadonlyArray<ZonePace & { readonly atMs: number }>
}

/** Why a pod stays, if nothing else removes it. */
export type StayReason =
  /** It tolerates its node's taints forever: a DaemonSet's pod, a static pod, or any other. */
  | "daemon-set"
  | "static"
  | "tolerates"
  /** It is a DaemonSet's pod, in a release that deletes the other pods of a lost node. */
  | "not-deleted"
  /** Its node does not get its taint, or its pods are not deleted. */
  | "node-waits"
  /** Its eviction is, or would be, cancelled: its node is ready again, or all zones are down. */
  | "called-off"

export interface PodForecast {
  readonly pod: Pod
  readonly outcome: "deleted" | "terminating" | "stays"
  /** When it will be deleted; in the past if that should have happened already. */
  readonly deletedAtMs?: number
  /** Set if its toleration counts from a taint without timeAdded: `deletedAtMs` is then the latest possible time. */
  readonly atTheLatest?: true
  /** Seconds from the taint to the deletion; 0 means at once. */
  readonly toleratedSeconds?: number
  /** When it was deleted, if it is terminating. */
  readonly terminatingSinceMs?: number
  /**
   * What completes the deletion of a terminating pod: its kubelet; the pod garbage collector, because of the
   * out-of-service taint; in early releases the node controller, by force; or nothing, until the node is back, is
   * deleted or has that taint.
   */
  readonly endedBy?: "kubelet" | "pod-gc" | "node-controller" | "nobody"
  readonly why?: StayReason
}

/** A node's state now, and what the controllers will do about it. Times are milliseconds since the Unix epoch. */
export interface NodeForecast {
  readonly node: Node
  readonly zoneKey: string
  /** The status of its Ready condition now; undefined if it has none. */
  readonly ready: ConditionStatus | undefined
  /** When Ready last changed, as its condition says. */
  readonly readySinceMs: number | undefined
  /** Its last sign of life: its lease's renewal or its status' heartbeat, by its own clock. */
  readonly lastSignMs: number | undefined
  /** Whether its last sign of life is older than a healthy kubelet's renewal interval allows. */
  readonly silent: boolean
  /** When Ready becomes Unknown, at the earliest. */
  readonly unknownAtMs: number | undefined
  /** The taint of the NoExecute pair that it has now. */
  readonly taint: Taint | undefined
  /** NoExecute taints set by others. */
  readonly otherTaints: ReadonlyArray<Taint>
  /** When its zone's queue reaches it, at the earliest: to be tainted, or, in early releases, to lose its pods. */
  readonly queueReachedAtMs: number | undefined
  /** Its position now among the queued nodes of its zone, from 1; undefined if it is not queued. */
  readonly place: number | undefined
  /** Why its queue does not reach it. */
  readonly stoppedBy: StopReason | undefined
  /** When its NoExecute taint is removed, because it is ready again or all zones are down. */
  readonly taintRemovedAtMs: number | undefined
  /** When its not-ready taint is swapped for the unreachable one or back, which changes no pod's deletion time. */
  readonly swappedAtMs: number | undefined
  readonly outOfService: boolean
  readonly pods: ReadonlyArray<PodForecast>
}

/** Which pods will be evicted because of their node, when, and why not yet. */
export interface EvictionForecast {
  readonly nowMs: number
  /** No node is ready anywhere, so no further node is tainted. */
  readonly allZonesDown: boolean
  readonly zones: ReadonlyArray<ZoneForecast>
  /** Unhealthy nodes, by name: silent, not ready, or with a NoExecute taint that evicts pods. */
  readonly nodes: ReadonlyArray<NodeForecast>
}
