import { assert, describe, it } from "@effect/vitest"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { ApiError, type ApiRequest, Cluster, type Connection, cancellable } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Result from "effect/Result"
import { layerReplicaSets } from "../src/index.ts"
import { replicaSetOf } from "./withControllers.ts"

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

const errorsWhen = (refused: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const errors: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ fiber, logLevel }) => {
    if (logLevel === "Error") errors.push(fiber.getRef(References.CurrentLogAnnotations)["err"])
  })
  runWithApiServer((admin) =>
    Effect.gen(function* () {
      const { create } = yield* Cluster
      yield* create("ReplicaSet", replicaSetOf(1))
      yield* Effect.sleep("1 millis")
    }).pipe(
      Effect.provide(layerReplicaSets()),
      Effect.provide(Cluster.layerConnection(refusing(refused)(admin))),
      Effect.provide(Logger.layer([logger]))
    )
  )
  return [...new Set(errors)]
}

describe("ReplicaSets that may not write", () => {
  it("log why a pod was not created", () => {
    assert.deepStrictEqual(errorsWhen(["create Pod"]), [`sync "default/web" failed with create Pod`])
  })

  it("log why the status was not written, if that failed too", () => {
    assert.deepStrictEqual(errorsWhen(["create Pod", "update ReplicaSet/status"]), [
      `sync "default/web" failed with update ReplicaSet/status`
    ])
  })
})
