import { type Status, unknownError } from "@rollcall/api"
import { guarded } from "@rollcall/time"
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
