import type { Status } from "@rollcall/api"
import { unknownError } from "@rollcall/api"
import { guarded } from "@rollcall/time"
import type { Steps } from "../turns/Steps.ts"
import type { ServerCore } from "./ServerCore.ts"

/** What the client of a request is told in which something threw. Upstream: apiserver/pkg/server/filters/wrap.go. */
export const panicked: Status = unknownError("This request caused apiserver to panic. Look in the logs for details.")

/**
 * Work of a request that goes on with an answer of the store, or at a revision. What throws there ends that request, refused, and
 * not the round in which all that wait are answered.
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
 * Does work of a user's request, with pauses where it takes long. What throws before the first one is thrown here, as by any function;
 * what throws later ends the request, refused.
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
 * Does one thing after the other, each ended by its callback, at once or later, and then `done`. Steps that end at once are a
 * loop, not a recursion, so that their number does not matter to the stack. A step that passes false ends the row.
 */
export const inTurn = <A>(
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
