import type { Pod } from "@rollcall/api"

/** What a shutdown manager does, for whoever traces it. */
export type ShutdownEvent =
  /** A lock is held and signals are listened for: after the start, and after each reconnection. */
  | { readonly type: "watching" }
  /** The connection is lost, or could not be made again. */
  | { readonly type: "lost"; readonly message: string }
  /** The machine is about to go down. */
  | { readonly type: "started" }
  | {
      readonly type: "phaseStarted"
      readonly priority: number
      /** The bucket's seconds; each pod has its own beside it. */
      readonly graceSeconds: number
      readonly pods: ReadonlyArray<{ readonly pod: Pod; readonly graceSeconds: number }>
    }
  | { readonly type: "phaseEnded"; readonly priority: number; readonly timedOut: boolean }
  /** All phases are over; the lock is released next. */
  | { readonly type: "finished" }
  /** The shutdown is called off. Pods that were killed stay dead. */
  | { readonly type: "cancelled" }

export type ObserveShutdown = (event: ShutdownEvent) => void
