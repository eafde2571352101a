import { certificateProblem, type HandlerOptions } from "@rollcall/api-server/http"
import { componentLog } from "@rollcall/cluster"
import { guarded, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { limitedLog } from "../log/limitedLog.ts"

const MESSAGE = "Unable to authenticate the request"

/**
 * Logs why a client's credentials are invalid, which the client is not told; at most one equal line in 30 s.
 * Upstream: apiserver/pkg/endpoints/filters/authentication.go.
 */
export const unauthenticatedLog = (
  timers: TimersShape,
  wallClockMs: () => number
): Effect.Effect<NonNullable<HandlerOptions["unauthenticated"]>> =>
  Effect.map(componentLog, (log) => {
    const logs = { certificate: limitedLog(log, timers), token: limitedLog(log, timers) }
    return ({ info, request }, credential) => {
      // An error in logging must not change the response.
      guarded(timers, "authentication log", () => {
        const why = credential === "token" ? "invalid bearer token" : certificateProblem(request, wallClockMs())
        logs[credential]("error", MESSAGE, { err: `[${why}]`, verb: info.verb, path: info.path })
      })
    }
  })
