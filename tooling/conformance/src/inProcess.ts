import { type AdmissionPlugin, ApiServer, defaultAdmissionPlugins } from "@rollcall/api-server"
import type { Answer, ApiRequest } from "@rollcall/cluster"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Json } from "./Adapter.ts"

/** One request, and the answer that came before the call returned. */
export type Send = (request: ApiRequest) => Answer

/** Talks to an API server of its own, as an administrator, in virtual time. The given plugins come before the usual ones. */
export const withServer = (plugins: ReadonlyArray<AdmissionPlugin>, talk: (send: Send) => Json): Json => {
  const time = makeVirtualTime(1_767_225_600_000)
  const server = ApiServer.layer({ admission: [...plugins, ...defaultAdmissionPlugins()] })
  const program = Effect.gen(function* () {
    const { connect } = yield* ApiServer
    const connection = connect({ user: "admin", groups: ["system:masters"], userAgent: "conformance" })
    return talk((request) => {
      let answer: Answer | undefined
      connection.send(request, (given) => {
        answer = given
      })
      if (answer === undefined) throw new Error("no answer")
      return answer
    })
  })
  const exit = time.run(program.pipe(Effect.provide(server.pipe(Layer.provide(layerMemory())))))
  if (exit._tag === "Failure") throw new Error(String(exit.cause))
  return exit.value
}
