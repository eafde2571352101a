import type { Timer } from "@rollcall/time"
import type { PodKill } from "./PodKill.ts"

/** The callback of a kill, and the timer after which the kill times out. */
interface Waiter {
  readonly done: NonNullable<PodKill["done"]>
  readonly timer: Timer
}

/** A termination in progress. */
export interface PodEnding {
  /** The effective grace period: it only decreases. */
  graceSeconds: number
  /** Why the kubelet kills the pod itself; of several kills the last. */
  kill: PodKill | undefined
  /** The kills that wait for the pod to stop. */
  waiters: ReadonlyArray<Waiter>
}
