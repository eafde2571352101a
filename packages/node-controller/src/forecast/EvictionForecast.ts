import type { ConditionStatus, Lease, Node, Pod, Taint } from "@rollcall/api"
import type { ZoneState } from "@rollcall/eviction"
import type { NodeLifecycleSettings } from "../lifecycle/NodeLifecycleSettings.ts"

/** The state of a cluster in its API at one instant. */
export interface ForecastInput {
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  /** The leases of kube-node-lease; undefined: not known, so no node can be found silent. */
  readonly leases: ReadonlyArray<Lease> | undefined
  readonly pods: ReadonlyArray<Pod>
  readonly settings: NodeLifecycleSettings
  /** Whether the out-of-service taint ends terminating pods. */
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
  /** Nodes per second; 0: none. */
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
  /** Tolerates its node's taints forever: a DaemonSet's, a static one, or any other. */
  | "daemon-set"
  | "static"
  | "tolerates"
  /** In releases that delete the pods of a lost node: DaemonSet pods are not deleted. */
  | "not-deleted"
  /** Its node does not get its taint, or its pods are not deleted. */
  | "node-waits"
  /** Its eviction is, or would be, cancelled: its node is ready again, or all zones are down. */
  | "called-off"

export interface PodForecast {
  readonly pod: Pod
  readonly outcome: "deleted" | "terminating" | "stays"
  /** When it is deleted; in the past if that should have happened already. */
  readonly deletedAtMs?: number
  /** Its toleration counts from a taint without timeAdded: `deletedAtMs` is the latest time. */
  readonly atTheLatest?: true
  /** Seconds from the taint to the deletion; 0: at once. */
  readonly toleratedSeconds?: number
  /** If it is terminating: since when. */
  readonly terminatingSinceMs?: number
  /**
   * What completes the deletion of a terminating pod: its kubelet; the pod garbage collector, because of the
   * out-of-service taint; in early releases the node controller, by force; or nothing, until the node is back, is
   * deleted or has that taint.
   */
  readonly endedBy?: "kubelet" | "pod-gc" | "node-controller" | "nobody"
  readonly why?: StayReason
}

export interface NodeForecast {
  readonly node: Node
  readonly zoneKey: string
  /** The status of its Ready condition now; undefined if it has none. */
  readonly ready: ConditionStatus | undefined
  /** The last transition of Ready. */
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
  readonly turnAtMs: number | undefined
  /** Its position among the queued nodes of its zone, from 1. */
  readonly place: number | undefined
  /** Why its queue does not reach it. */
  readonly stoppedBy: StopReason | undefined
  /** When the pair is removed: it is ready again, or all zones are down. */
  readonly forgivenAtMs: number | undefined
  /** When one of the pair is swapped for the other, which changes no pod's deletion time. */
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
