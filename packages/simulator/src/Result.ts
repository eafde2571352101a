import type { ExpectationResult } from "./expect/probes.ts"
import type { BrokenInvariant } from "./invariants/Invariant.ts"
import type { TraceEntry } from "./trace/TraceEntry.ts"

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

/** What a rehearsal answers: `rollcall.dev/v1alpha1`, kind ScenarioResult. */
export interface ScenarioResult {
  readonly apiVersion: "rollcall.dev/v1alpha1"
  readonly kind: "ScenarioResult"
  readonly metadata: { readonly name: string }
  readonly spec: { readonly release: string; readonly seed: number; readonly durationSeconds: number }
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
  readonly trace: ReadonlyArray<TraceEntry>
  readonly events: ReadonlyArray<EventRecord>
  readonly metrics: ReadonlyArray<ZoneMetrics>
  /** Promises of the model that the run broke: with any of these the result is not to be trusted, and a report is welcome. */
  readonly bugs?: ReadonlyArray<BrokenInvariant>
}
