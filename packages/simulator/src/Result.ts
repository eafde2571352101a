import type { Release } from "@rollcall/api"
import type { ExpectationResult } from "./expect/probes.ts"
import type { BrokenInvariant } from "./invariants/Invariant.ts"
import type { LayerDigest } from "./rehearsal/Run.ts"
import type { TraceEntry } from "./trace/TraceEntry.ts"

export type { ExpectationResult } from "./expect/probes.ts"
export type { BrokenInvariant } from "./invariants/Invariant.ts"
export {
  type DeletedBy,
  deletedBy,
  isEviction,
  type TraceEntry,
  type TraceEntryOf,
  type TraceFields,
  type TraceType,
  traceTypes
} from "./trace/TraceEntry.ts"

/** The format of results; another one has another version. */
export const resultVersion = "rollcall.dev/v1alpha1"

/** A workload's availability over the run, counted from when all its replicas were ready for the first time. */
export interface WorkloadSummary {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly minReady: number
  readonly unavailableSeconds: number
  /** Only there when all replicas were never ready at once: the two numbers are 0 then, as nothing was counted. */
  readonly neverAllReady?: true
  /** Virtual seconds: only there when all were ready for the first time later than a minute after the start. */
  readonly allReadyFrom?: number
}

/** What a component's client-side rate limit did to it. */
export interface ClientSummary {
  readonly client: string
  readonly qps: number
  readonly burst: number
  readonly requests: number
  /** The longest that one request waited for its turn, and when that was (virtual seconds). */
  readonly longestWaitSeconds: number
  readonly longestWaitAt: number
}

/** An Event of the core API, as it was written or raised. */
export interface EventRecord {
  readonly at: number
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly component: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly objectHasUID: boolean
  readonly storedIn: string
  readonly count: number
}

/** The node controller's zone metrics at an instant at which one of them changed. */
export interface ZoneMetrics {
  readonly at: number
  readonly zones: Readonly<
    Record<
      string,
      { readonly size: number; readonly health: number; readonly unhealthy: number; readonly evictions: number }
    >
  >
}

/** The numbers that decide what a control plane does about lost nodes, by flag or default; times are in seconds. */
export interface Rules {
  readonly release: string
  /** `--node-monitor-grace-period` */
  readonly grace: number
  /** `--node-monitor-period` */
  readonly period: number
  /** The pause between two heartbeats of a kubelet. */
  readonly heartbeat: number
  /** `--node-eviction-rate` */
  readonly rate: number
  /** `--secondary-node-eviction-rate` */
  readonly secondaryRate: number
  /** `--large-cluster-size-threshold` */
  readonly largeSize: number
  /** `--unhealthy-zone-threshold` */
  readonly unhealthyShare: number
  /** `--pod-eviction-timeout`; only there where pods of lost nodes are deleted without regard to taints. */
  readonly evictionTimeout?: number
  /** `--default-unreachable-toleration-seconds` */
  readonly toleration: number
  /** `--default-not-ready-toleration-seconds` */
  readonly notReadyToleration: number
  readonly leaderElect: boolean
  /** `--leader-elect-lease-duration` */
  readonly leaseDuration: number
  /** `--leader-elect-renew-deadline` */
  readonly renewDeadline: number
  /** The pause between two looks of a kubelet at its container runtime. */
  readonly runtimeCheck: number
  /** For how long a runtime does not answer before its kubelet calls it down. */
  readonly runtimeDownAfter: number
}

export interface ObjectName {
  readonly kind: string
  readonly name: string
}

/** What the scenario says of a fault or an action, beside its name, its nodes and its time. */
export interface EventDetails {
  /** By how much a clock is set, or requests are delayed; seconds. */
  readonly bySeconds?: number
  readonly rate?: number
  /** A quantity: what a node under pressure has left. */
  readonly available?: string
  readonly object?: ObjectName
  readonly objects?: ReadonlyArray<ObjectName>
  readonly manifests?: ReadonlyArray<string>
  /** The fields that a patch writes: `spec.tolerations`. */
  readonly fields?: ReadonlyArray<string>
  readonly replicas?: number
  readonly taint?: { readonly key: string; readonly effect?: string }
  readonly force?: boolean
}

/** A number from an instant on (virtual seconds since the start) until the next step. */
export type Step = readonly [at: number, value: number]

/** How many replicas of a workload were ready and wanted, over time. */
export interface WorkloadCourse {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly ready: ReadonlyArray<Step>
  readonly wanted: ReadonlyArray<Step>
}

/** What reports tell of the scenario, beside what happened: with it a result explains itself, without the scenario's files. */
export interface ResultContext {
  readonly description: string
  readonly rules: Rules
  /** What is done to a lost node: it is tainted, or emptied. */
  readonly podEviction: Release["podEviction"]
  /** Nodes a second that a zone's limiter starts with. */
  readonly evictionRate: number
  /** The events of the scenario in the order in which they happen: the faults and actions of the trace, one each. */
  readonly events: ReadonlyArray<EventDetails>
  /** Every node that there was, by zone; `""` is no zone. */
  readonly zones: Readonly<Record<string, ReadonlyArray<string>>>
  readonly workloads: ReadonlyArray<WorkloadCourse>
  /** The owners of pods that were there when the run began (`shop/web-1-a`: `ReplicaSet/web-1`, or null), of each workload that lost one. */
  readonly owners: Readonly<Record<string, string | null>>
  /** Owners that are taken to be there and to do nothing, as the snapshot lacks them: `shop/StatefulSet/db`. */
  readonly outside: ReadonlyArray<string>
  /** Static pods that a shutdown ended and that name a priority class without its number: the class, by pod. */
  readonly classOnly: Readonly<Record<string, string>>
}

/** What a rehearsal answers: `rollcall.dev/v1alpha1`, kind ScenarioResult. */
export interface ScenarioResult {
  readonly apiVersion: typeof resultVersion
  readonly kind: "ScenarioResult"
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly release: string
    readonly seed: number
    readonly durationSeconds: number
    /** Files of layers that the run was made of; absent: none. */
    readonly layers?: ReadonlyArray<LayerDigest>
  }
  readonly expectations: ReadonlyArray<ExpectationResult>
  readonly summary: {
    readonly evictions: {
      readonly total: number
      readonly byZone: Readonly<Record<string, number>>
      readonly byReason: Readonly<Record<string, number>>
    }
    readonly nodes: {
      readonly registered: number
      readonly deleted: number
      /** Seconds that each node's Ready condition was not True, of nodes for which that was ever so after their first Ready. */
      readonly notReadySeconds: Readonly<Record<string, number>>
    }
    readonly workloads: ReadonlyArray<WorkloadSummary>
    readonly clients: ReadonlyArray<ClientSummary>
    /** Timers and callbacks run. */
    readonly events: number
    readonly wallSeconds: number
    readonly traceDigest: string
  }
  readonly warnings: ReadonlyArray<string>
  readonly context: ResultContext
  readonly trace: ReadonlyArray<TraceEntry>
  readonly events: ReadonlyArray<EventRecord>
  readonly metrics: ReadonlyArray<ZoneMetrics>
  /** Promises of the model that the run broke: with any of these the result is not to be trusted, and a report is welcome. */
  readonly bugs?: ReadonlyArray<BrokenInvariant>
}
