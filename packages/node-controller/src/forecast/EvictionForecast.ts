import type { ConditionStatus, Lease, Node, Pod, Taint } from "@rollcall/api"
import type { ZoneState } from "@rollcall/eviction"
import type { NodeLifecycleSettings } from "../lifecycle/NodeLifecycleSettings.ts"

/** A cluster as its API shows it at one instant. */
export interface ForecastInput {
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  /** Those of kube-node-lease; undefined: not known, so that nobody can be told to be silent by them. */
  readonly leases: ReadonlyArray<Lease> | undefined
  readonly pods: ReadonlyArray<Pod>
  readonly settings: NodeLifecycleSettings
  /** The out-of-service taint ends terminating pods. */
  readonly outOfService: boolean
  /** Gate TaintTolerationComparisonOperators. */
  readonly comparisonOperators?: boolean
}

/** Why nodes of a zone are not acted on, for as long as nothing changes. */
export type StopReason =
  /** No node of any zone is ready: rather the control plane is cut off. */
  | "all-zones-down"
  /** Much of a zone that is not large is down. */
  | "partial-disruption"
  /** The rate in force is 0. */
  | "rate"

/** How fast a zone's nodes are acted on. */
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
  /** Nodes that count, by whether they are ready now. */
  readonly ready: number
  readonly notReady: number
  /** Nodes that wait for their turn now, in order. */
  readonly waiting: ReadonlyArray<string>
  /** What becomes of it as nodes that are silent already become Unknown. */
  readonly changes: ReadonlyArray<ZonePace & { readonly atMs: number }>
}

/** Why a pod stays, where nothing else removes it. */
export type StayReason =
  /** Tolerates its node's taints for ever: as one of a DaemonSet does, a static one, or any other. */
  | "daemon-set"
  | "static"
  | "tolerates"
  /** In releases that delete the pods of a lost node: those of DaemonSets are left. */
  | "not-deleted"
  /** Its node does not get its taint, or not the pods' deletion. */
  | "node-waits"
  /** Its eviction is, or would be, called off: its node is ready again, or all zones are down. */
  | "called-off"

export interface PodForecast {
  readonly pod: Pod
  readonly outcome: "deleted" | "terminating" | "stays"
  /** When its deletion is asked for; in the past if that should have happened already. */
  readonly deletedAtMs?: number
  /** Its time counts from a taint that does not say when it was added: by then at the latest. */
  readonly atTheLatest?: true
  /** The deletion comes so long after the taint from which it counts; 0: at once. */
  readonly toleratedSeconds?: number
  /** Of one that is terminating: since when. */
  readonly terminatingSinceMs?: number
  /**
   * What ends it once it is terminating: its kubelet; the pod garbage collector, because of the out-of-service taint; in early
   * releases the node controller, by force; or nobody, until the node is back, is deleted or has that taint.
   */
  readonly endedBy?: "kubelet" | "pod-gc" | "node-controller" | "nobody"
  readonly why?: StayReason
}

export interface NodeForecast {
  readonly node: Node
  readonly zoneKey: string
  /** Its Ready condition now; undefined if it has none. */
  readonly ready: ConditionStatus | undefined
  /** Since when Ready is what it is. */
  readonly readySinceMs: number | undefined
  /** When it was last heard of: its lease's renewal or its status' heartbeat, by its own clock. */
  readonly lastSignMs: number | undefined
  /** Not heard of for longer than a kubelet that is well takes to renew its lease. */
  readonly silent: boolean
  /** When Ready becomes Unknown, at the earliest. */
  readonly unknownAtMs: number | undefined
  /** The taint of the NoExecute pair that it carries now. */
  readonly taint: Taint | undefined
  /** NoExecute taints that somebody else gave it. */
  readonly otherTaints: ReadonlyArray<Taint>
  /** When its turn in its zone comes, at the earliest: to be tainted, or, in early releases, to lose its pods. */
  readonly turnAtMs: number | undefined
  /** Its place among the nodes of its zone that wait now, from 1. */
  readonly place: number | undefined
  /** It waits for a turn that does not come. */
  readonly stoppedBy: StopReason | undefined
  /** When the pair is taken off it: it is ready again, or all zones are down. */
  readonly forgivenAtMs: number | undefined
  /** When one of the pair is exchanged for the other, which moves no pod's time. */
  readonly swappedAtMs: number | undefined
  readonly outOfService: boolean
  readonly pods: ReadonlyArray<PodForecast>
}

/** What will be evicted because of its node, when, and why not yet. */
export interface EvictionForecast {
  readonly nowMs: number
  /** No node is ready anywhere, so nothing more is tainted. */
  readonly allZonesDown: boolean
  readonly zones: ReadonlyArray<ZoneForecast>
  /** Nodes that are not well, by name: silent, not ready, or with a NoExecute taint that takes pods away. */
  readonly nodes: ReadonlyArray<NodeForecast>
}
