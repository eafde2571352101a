import { runWithApiServer } from "@rollcall/api-server/testing"
import { ApiError, type ApiRequest, Cluster, type Connection, cancellable } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Result from "effect/Result"

const forbidden = (message: string) =>
  new ApiError({
    status: { apiVersion: "v1", kind: "Status", metadata: {}, code: 403, reason: "Forbidden", message }
  })

/** Refuses what an account without its role may not do, with the resource as the message. */
const refusing =
  (refused: ReadonlyArray<string>) =>
  (connection: Connection): Connection => ({
    ...connection,
    send: cancellable((request: ApiRequest, reply) => {
      const { kind, verb } = request
      const name = "subresource" in request ? `${verb} ${kind}/${request.subresource}` : `${verb} ${kind}`
      if (refused.includes(name)) reply(Result.fail(forbidden(name)))
      else connection.send(request, reply)
    })
  })

/** A line of the log at the level of errors: its message, and what varies. */
export type ErrorLine = readonly [message: string, annotations: Readonly<Record<string, unknown>>]

/** The errors that controllers log while a program runs and the API refuses some requests of theirs and the program's. */
export const errorLines = <E>(
  controllers: Layer.Layer<never, never, Cluster | Timers>,
  refused: ReadonlyArray<string>,
  program: Effect.Effect<unknown, E, Cluster>
): ReadonlyArray<ErrorLine> => {
  const lines: Array<ErrorLine> = []
  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    if (logLevel !== "Error") return
    lines.push([String(message), fiber.getRef(References.CurrentLogAnnotations)])
  })
  runWithApiServer((admin) =>
    program.pipe(
      Effect.provide(controllers),
      Effect.provide(Cluster.layerConnection(refusing(refused)(admin))),
      Effect.provide(Logger.layer([logger]))
    )
  )
  return lines
}
