import type { Status } from "@rollcall/api"
import { unknownError } from "@rollcall/api"
import { guarded } from "@rollcall/time"
import type { Steps } from "../turns/Steps.ts"
import type { ServerCore } from "./ServerCore.ts"

/** The response to a request whose handler threw. Upstream: apiserver/pkg/server/filters/wrap.go. */
export const panicked: Status = unknownError("This request caused apiserver to panic. Look in the logs for details.")

/**
 * Wraps the part of a request that runs after a reply of the store, or when a revision arrives. An error that it throws
 * ends that request, refused, and does not prevent the other waiting requests from being answered.
 */
export const resumed =
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
      guarded(timers, "request", () => refuse(panicked))
    }
  }

/**
 * Runs the steps of a user's request, which yield when they take long. An error before the first yield is thrown to the
 * caller; a later one ends the request, refused.
 */
export const inSteps = (
  { timers, turns }: Pick<ServerCore, "timers" | "turns">,
  user: string,
  steps: Steps<void>,
  refuse: (status: Status) => void
): void =>
  turns.run(user, steps, (error) => {
    timers.handleError("request", error)
    guarded(timers, "request", () => refuse(panicked))
  })

/**
 * Runs `step` for each item in sequence, each ended by its callback, synchronously or later, and then `done`.
 * Synchronous steps run in a loop, not recursively, so their number is not limited by the stack. A step that passes
 * false ends the sequence.
 */
export const inSequence = <A>(
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
