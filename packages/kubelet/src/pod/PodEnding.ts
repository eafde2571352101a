import type { Timer } from "@rollcall/time"
import type { PodKill } from "./PodKill.ts"

interface Waiter {
  readonly done: NonNullable<PodKill["done"]>
  readonly timer: Timer
}

/** A termination that has begun. */
export interface PodEnding {
  /** In force: it only shrinks. */
  graceSeconds: number
  /** Why the kubelet ends the pod on its own account; of several, the last. */
  kill: PodKill | undefined
  waiters: ReadonlyArray<Waiter>
}
