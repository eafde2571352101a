import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, PodDisruptionBudget } from "@rollcall/api"
import type { TraceEntry } from "../trace/TraceEntry.ts"

/** A promise of the model that a run broke: always a bug of Rollcall, never of a scenario. */
export interface BrokenInvariant {
  /** Virtual seconds since the start. */
  readonly at: number
  readonly invariant: string
  readonly message: string
}

/** Says that something happened that must not. */
export type Report = (message: string) => void

/**
 * Watches a run for one thing that must never happen. Made to stay on: it looks at changes only, keeps little, and forgets what
 * it no longer needs. It claims a break only where no delay, throttle, fault or operator can be the reason.
 */
export interface Invariant {
  readonly entry?: (entry: TraceEntry) => void
  readonly pod?: (previous: Pod | undefined, next: Pod | undefined, atSeconds: number) => void
  readonly node?: (previous: Node | undefined, next: Node | undefined, atSeconds: number) => void
  readonly volume?: (previous: PersistentVolume | undefined, next: PersistentVolume | undefined) => void
  /** A pass of the node lifecycle controller ended. */
  readonly passEnded?: (atSeconds: number) => void
  /** Called from time to time. */
  readonly look?: (atSeconds: number) => void
}

/** What invariants may ask about the present state of the API. */
export interface Known {
  readonly node: (name: string) => Node | undefined
  /** As it was before the change that is being told. */
  readonly pod: (namespace: string, name: string) => Pod | undefined
  /** All of them, as slow as there are many. */
  readonly pods: () => Iterable<Pod>
  readonly budgets: (namespace: string) => ReadonlyArray<PodDisruptionBudget>
  /** By `namespace/name`. */
  readonly claim: (key: string) => PersistentVolumeClaim | undefined
  readonly volume: (name: string) => PersistentVolume | undefined
}
