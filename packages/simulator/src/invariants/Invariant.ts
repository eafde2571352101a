import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, PodDisruptionBudget } from "@rollcall/api"
import type { TraceEntry } from "../trace/TraceEntry.ts"

/** An invariant of the model that a run violated: always a bug in Rollcall, never in a scenario. */
export interface BrokenInvariant {
  /** Virtual seconds since the start. */
  readonly at: number
  /** The name of the invariant: `capacity`. */
  readonly invariant: string
  readonly message: string
}

/** Reports a violation: the message names the object, what happened, and what the invariant requires. */
export type Report = (message: string) => void

/**
 * Checks during a run that one thing never happens. Invariants are always on: each handles changes only, keeps little state, and
 * drops what it no longer needs. It reports a violation only if no delay, throttle, fault or operator can be the cause.
 *
 * A change of an object is the object before and after it: `previous` is undefined if it was created, `next` if it was deleted. Times are
 * virtual seconds since the start.
 */
export interface Invariant {
  readonly entry?: (entry: TraceEntry) => void
  readonly pod?: (previous: Pod | undefined, next: Pod | undefined, atSeconds: number) => void
  readonly node?: (previous: Node | undefined, next: Node | undefined, atSeconds: number) => void
  readonly volume?: (previous: PersistentVolume | undefined, next: PersistentVolume | undefined) => void
  /** Called when a monitor pass of the node lifecycle controller ends. */
  readonly passEnded?: (atSeconds: number) => void
  /** Called at least once in a virtual second of a run. */
  readonly tick?: (atSeconds: number) => void
}

/** The current objects of the API, as invariants read them. */
export interface ClusterState {
  readonly node: (name: string) => Node | undefined
  /** Returns a pod. During a call of `Invariant.pod` it is the pod before that change. */
  readonly pod: (namespace: string, name: string) => Pod | undefined
  /** Iterates over all pods; linear in their number. */
  readonly pods: () => Iterable<Pod>
  readonly budgets: (namespace: string) => ReadonlyArray<PodDisruptionBudget>
  /** Returns a claim by `namespace/name`. */
  readonly claim: (key: string) => PersistentVolumeClaim | undefined
  readonly volume: (name: string) => PersistentVolume | undefined
}
