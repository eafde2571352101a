import type { Status } from "@rollcall/api"
import { unknownError } from "@rollcall/api"
import type { Steps } from "@rollcall/time"
import { guarded } from "@rollcall/time"
import type { ServerCore } from "./ServerCore.ts"

/** Answers a request whose handler threw. Upstream: apiserver/pkg/server/filters/wrap.go. */
export const panicStatus: Status = unknownError("This request caused apiserver to panic. Look in the logs for details.")

/**
 * Wraps the part of a request that runs later: after a reply of the store, or when a revision arrives. If it throws, the
 * error is reported and the request is refused (500); the caller, which answers other requests as well, continues.
 */
export const refuseOnError =
  <A = void>(
    { timers }: Pick<ServerCore, "timers">,
    refuse: (status: Status) => void,
    work: (value: A) => void
  ): ((value: A) => void) =>
  (value) => {
    try {
      work(value)
    } catch (error) {
      timers.handleError("request", error)
      guarded(timers, "request", () => refuse(panicStatus))
    }
  }

/**
 * Runs the steps of a user's request, which yield when they take long. An error before the first yield is thrown to the
 * caller; after a later one the request is refused (500).
 */
export const runSteps = (
  { timers, turns }: Pick<ServerCore, "timers" | "turns">,
  user: string,
  steps: Steps<void>,
  refuse: (status: Status) => void
): void =>
  turns.run(user, steps, (error) => {
    timers.handleError("request", error)
    guarded(timers, "request", () => refuse(panicStatus))
  })

/**
 * Runs `step` for each item, one after the other, and then `done`. A step ends by calling `next`, at once or later; with
 * false, the remaining items are skipped. Steps that end at once run in a loop, not recursively, so the stack does not
 * limit their number.
 */
export const runInSequence = <A>(
  items: ReadonlyArray<A>,
  step: (item: A, next: (proceed: boolean) => void) => void,
  done: () => void
): void => {
  let index = 0
  const run = () => {
    for (;;) {
      if (index >= items.length) return done()
      const progress: { ended: boolean | undefined; waiting: boolean } = { ended: undefined, waiting: false }
      step(items[index++] as A, (proceed) => {
        progress.ended = proceed
        if (!progress.waiting) return
        if (proceed) run()
        else done()
      })
      if (progress.ended === undefined) {
        progress.waiting = true
        return
      }
      if (!progress.ended) return done()
    }
  }
  run()
}
