import type { Pod } from "@rollcall/api"

/** What a shutdown manager does, for tracing. */
export type ShutdownEvent =
  /** The manager holds a lock and listens for signals: after the start, and after each reconnection. */
  | { readonly type: "watching" }
  /** The connection was lost, or reconnecting failed. */
  | { readonly type: "lost"; readonly message: string }
  /** The machine is about to power off. */
  | { readonly type: "started" }
  | {
      readonly type: "phaseStarted"
      readonly priority: number
      /** The bucket's seconds; each pod's own grace period is in `pods`. */
      readonly graceSeconds: number
      readonly pods: ReadonlyArray<{ readonly pod: Pod; readonly graceSeconds: number }>
    }
  | { readonly type: "phaseEnded"; readonly priority: number; readonly timedOut: boolean }
  /** All phases have ended; the lock is released next. */
  | { readonly type: "finished" }
  /** The shutdown was cancelled. Pods that were killed are not restored. */
  | { readonly type: "cancelled" }

/** Receives the events of a manager, one after the other. */
export type ObserveShutdown = (event: ShutdownEvent) => void
