import type { HandleError } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** So many errors in a minute are no accident: the process ends, and whoever supervises it starts it anew. */
const MOST = 100
const WITHIN_MS = 60_000

/** Whether a process should go on after an error that nobody caught: unless it is one of too many. */
export class ErrorBudget {
  private readonly times: Array<number> = []

  allows(nowMs: number): boolean {
    this.times.push(nowMs)
    if (this.times.length > MOST) this.times.shift()
    const first = this.times[0] as number
    return this.times.length < MOST || nowMs - first > WITHIN_MS
  }
}

/** What of a process is needed. */
export interface ErrorSource {
  readonly on: (event: "uncaughtException" | "unhandledRejection", listener: (error: unknown) => void) => unknown
  readonly off: (event: "uncaughtException" | "unhandledRejection", listener: (error: unknown) => void) => unknown
  readonly exit: (code: number) => void
}

/**
 * The last net: an error that was thrown in an event of Node's and that nobody caught, or a promise that failed unseen, ends what it was
 * thrown in, is logged and counted, and the program goes on. State of a server that must not be half changed is kept by those that change it:
 * the store takes a group of writes whole or fails it, and the caches are read from it. Until the scope closes.
 */
export const surviveErrors = (
  handleError: HandleError,
  now: () => number,
  source: ErrorSource = process
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        const budget = new ErrorBudget()
        const survive = (error: unknown) => {
          handleError("process", error)
          if (!budget.allows(now())) source.exit(1)
        }
        source.on("uncaughtException", survive)
        source.on("unhandledRejection", survive)
        return survive
      }),
      (survive) =>
        Effect.sync(() => {
          source.off("uncaughtException", survive)
          source.off("unhandledRejection", survive)
        })
    )
  )
