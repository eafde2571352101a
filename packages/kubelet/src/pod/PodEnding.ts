import type { Timer } from "@rollcall/time"
import type { PodKill } from "./PodKill.ts"

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
  waiters: ReadonlyArray<Waiter>
}
