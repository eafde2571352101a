import type { HandleError } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** With this many errors in a minute the process exits, so that its supervisor restarts it. */
const MAX_ERRORS = 100
const WITHIN_MS = 60_000

/** Decides whether a process continues after an uncaught error: it does unless there were too many in a minute. */
export class ErrorBudget {
  private readonly times: Array<number> = []

  /** Counts an error; returns whether the process continues. */ allows(nowMs: number): boolean {
    this.times.push(nowMs)
    if (this.times.length > MAX_ERRORS) this.times.shift()
    const first = this.times[0] as number
    return this.times.length < MAX_ERRORS || nowMs - first > WITHIN_MS
  }
}

/** The part of `process` that is needed. */
export interface ErrorSource {
  readonly on: (event: "uncaughtException" | "unhandledRejection", listener: (error: unknown) => void) => unknown
  readonly off: (event: "uncaughtException" | "unhandledRejection", listener: (error: unknown) => void) => unknown
  readonly exit: (code: number) => void
}

/**
 * Handles uncaught errors: an error in a Node event, or an unhandled rejection, ends only the callback that it was
 * thrown in, is logged and counted, and the program continues. The server's state stays consistent, because each writer
 * guards its own: the store commits a group of writes completely or not at all, and the caches are read from it. Active
 * until the scope closes. Without a source, errors are left to the program that embeds the component.
 */
export const surviveErrors = (
  handleError: HandleError,
  now: () => number,
  source: ErrorSource | undefined
): Effect.Effect<void, never, Scope.Scope> => {
  if (source === undefined) return Effect.void
  return Effect.asVoid(
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
}
