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

/** The version of the result format. */
export const resultVersion = "rollcall.dev/v1alpha1"

/** A workload's availability over the run, counted from when all its replicas were ready for the first time. */
export interface WorkloadSummary {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** The fewest ready replicas at any time. */
  readonly minReady: number
  /** The seconds with fewer ready replicas than wanted. */
  readonly unavailableSeconds: number
  /** Present only if the replicas were never all ready at once: nothing was counted, and the two numbers above are 0. */
  readonly neverAllReady?: true
  /** Virtual seconds. Present only if all replicas were ready for the first time later than a minute after the start. */
  readonly allReadyFrom?: number
}

/** The effect of a component's client-side rate limit on its requests: `qps` requests a second, after a burst of `burst`. */
export interface ClientSummary {
  readonly client: string
  readonly qps: number
  readonly burst: number
  readonly requests: number
  /** The longest wait of one request for the rate limiter, and when it ended (virtual seconds); at the latest, at the end of the run. */
  readonly longestWaitSeconds: number
  readonly longestWaitAt: number
}

/** An Event of the core API when it was created, or when its count rose. */
export interface EventRecord {
  /** Virtual seconds since the start. */
  readonly at: number
  readonly type: string
  readonly reason: string
  readonly message: string
  /** The component that reported the Event. */
  readonly component: string
  /** The kind of the involved object; its namespace and name follow. */
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly objectHasUID: boolean
  /** The namespace of the Event itself. */
  readonly storedIn: string
  readonly count: number
}

/** The node controller's zone metrics at a time (virtual seconds) when one of them changed, by `region/zone`. */
export interface ZoneMetrics {
  readonly at: number
  readonly zones: Readonly<
    Record<
      string,
      {
        /** The number of its nodes. */
        readonly size: number
        /** The percentage of its nodes that are Ready. */
        readonly health: number
        /** The number of its nodes that are not Ready. */
        readonly unhealthy: number
        /** The number of its nodes that the controller has given a NoExecute taint so far. */
        readonly evictions: number
      }
    >
  >
}

/** The settings that decide how a control plane handles lost nodes, by flag or default; times are in seconds. */
export interface Rules {
  readonly release: string
  /** `--node-monitor-grace-period` */
  readonly grace: number
  /** `--node-monitor-period` */
  readonly period: number
  /** The interval between a kubelet's heartbeats. */
  readonly heartbeat: number
  /** `--node-eviction-rate` */
  readonly rate: number
  /** `--secondary-node-eviction-rate` */
  readonly secondaryRate: number
  /** `--large-cluster-size-threshold` */
  readonly largeSize: number
  /** `--unhealthy-zone-threshold` */
  readonly unhealthyShare: number
  /** `--pod-eviction-timeout`. Present only for releases that delete the pods of lost nodes without taints. */
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
  /** The interval between a kubelet's checks of its container runtime. */
  readonly runtimeCheck: number
  /** How long a container runtime must not answer before its kubelet reports it down. */
  readonly runtimeDownAfter: number
}

/** A reference to an object in an event of the scenario, for reports. */
export interface ObjectName {
  readonly kind: string
  readonly name: string
}

/** The parameters of a fault or an action in the scenario, other than its name, its nodes and its time. */
export interface EventDetails {
  /** The clock skew or the delay of requests, in seconds. */
  readonly bySeconds?: number
  /** The share of requests that fail, from 0 to 1. */
  readonly rate?: number
  /** The resources that a node under pressure has left, as a quantity. */
  readonly available?: string
  readonly object?: ObjectName
  readonly objects?: ReadonlyArray<ObjectName>
  readonly manifests?: ReadonlyArray<string>
  /** The paths of the fields that a patch writes: `spec.tolerations`. */
  readonly fields?: ReadonlyArray<string>
  readonly replicas?: number
  readonly taint?: { readonly key: string; readonly effect?: string }
  readonly force?: boolean
}

/** A value that holds from `at` (virtual seconds since the start) until the next step. */
export type Step = readonly [at: number, value: number]

/** The numbers of ready and wanted replicas of a workload over time. */
export interface WorkloadCourse {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly ready: ReadonlyArray<Step>
  readonly wanted: ReadonlyArray<Step>
}

/** The facts about the scenario that reports need beside the trace, so that a result is complete without the scenario's files. */
export interface ResultContext {
  readonly description: string
  readonly rules: Rules
  /** How the release empties a lost node: by taints, or by deleting its pods. */
  readonly podEviction: Release["podEviction"]
  /** The initial rate of a zone's limiter, in nodes a second. */
  readonly evictionRate: number
  /** The events of the scenario in time order: one for each fault and action of the trace. */
  readonly events: ReadonlyArray<EventDetails>
  /** The names of all nodes that existed during the run, by zone. The key `""` has the nodes without a zone. */
  readonly zones: Readonly<Record<string, ReadonlyArray<string>>>
  readonly workloads: ReadonlyArray<WorkloadCourse>
  /** The owner of each initial pod (`shop/web-1-a`: `ReplicaSet/web-1`, or null) of the workloads that lost a pod. */
  readonly owners: Readonly<Record<string, string | null>>
  /** Owners that the snapshot lacks, as `namespace/Kind/name`. The run assumes that they exist and do nothing. */
  readonly outside: ReadonlyArray<string>
  /** The priority class, by pod, of static pods that a shutdown ended and that have a class name but no priority. */
  readonly classOnly: Readonly<Record<string, string>>
}

/** The result of a rehearsal: `rollcall.dev/v1alpha1`, kind ScenarioResult. */
export interface ScenarioResult {
  readonly apiVersion: typeof resultVersion
  readonly kind: "ScenarioResult"
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly release: string
    readonly seed: number
    readonly durationSeconds: number
    /** The layer files that the run used; absent if it used none. */
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
      /** By node, the seconds that Ready was not True after it first became True; nodes with 0 are left out. */
      readonly notReadySeconds: Readonly<Record<string, number>>
    }
    readonly workloads: ReadonlyArray<WorkloadSummary>
    readonly clients: ReadonlyArray<ClientSummary>
    /** The number of timers and callbacks that ran in virtual time. */
    readonly events: number
    /** The real time that the run took. */
    readonly wallSeconds: number
    /** `sha256:…` of the trace: equal for all runs of one scenario with one seed. */
    readonly traceDigest: string
  }
  readonly warnings: ReadonlyArray<string>
  readonly context: ResultContext
  readonly trace: ReadonlyArray<TraceEntry>
  readonly events: ReadonlyArray<EventRecord>
  readonly metrics: ReadonlyArray<ZoneMetrics>
  /** Invariants of the model that the run violated; absent if there are none. Such a result cannot be trusted: please report it. */
  readonly bugs?: ReadonlyArray<BrokenInvariant>
}
