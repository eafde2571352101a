import {
  type AdmissionPlugin,
  ApiServer,
  type ApiServerOptions,
  type ApiServerShape,
  defaultAdmissionPlugins
} from "@rollcall/api-server"
import type { HandlerOptions } from "@rollcall/api-server/http"
import { securityPlan } from "@rollcall/api-server/security"
import type { Answer, ApiRequest } from "@rollcall/cluster"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Json } from "./Adapter.ts"

/** Sends a request and returns its synchronous response. */
export type Send = (request: ApiRequest) => Answer

/** The fixed time of these servers. */
export const SERVER_TIME_MS = 1_767_225_600_000

/** Runs requests against a new API server as an administrator, in virtual time. The given plugins come before the default ones. */
export const withServer = (plugins: ReadonlyArray<AdmissionPlugin>, talk: (send: Send) => Json): Json =>
  inProcess({ admission: [...plugins, ...defaultAdmissionPlugins()] }, ({ connect }) => {
    const connection = connect(administrator)
    return talk((request) => {
      let answer: Answer | undefined
      connection.send(request, (given) => {
        answer = given
      })
      if (answer === undefined) throw new Error("no answer")
      return answer
    })
  })

/** The HTTP response. */
export interface Served {
  readonly code: number
  /** The object, or the Status that refuses. */
  readonly body: unknown
  readonly warnings: ReadonlyArray<string>
}

export type Serve = (request: ApiRequest) => Served

const bodyOf = (answer: Answer): unknown => {
  if (Result.isSuccess(answer)) return answer.success
  if (answer.failure._tag !== "ApiError") throw answer.failure
  return answer.failure.status
}

/** Like withServer, with a server that keeps managedFields. */
export const withFieldOwnership = (talk: (serve: Serve) => Json): Json =>
  inProcess({ managedFields: true }, (server) =>
    talk((request) => {
      let served: Served | undefined
      server.serve(administrator, request, (answer, code, warnings) => {
        served = { code, body: bodyOf(answer), warnings }
      })
      if (served === undefined) throw new Error("no answer")
      return served
    })
  )

/** Runs an HTTP handler on a server with the tokens `admin` and `alice`, who has no rights. */
export const withHttp = (talk: (options: Omit<HandlerOptions, "version" | "address">) => Json): Json =>
  inProcess(
    {
      managedFields: true,
      security: securityPlan({
        modes: ["Node", "RBAC"],
        tokens: [
          { token: "admin", user: "admin", groups: ["system:masters"] },
          { token: "alice", user: "alice" }
        ]
      })
    },
    (server, timers) => {
      const { security } = server
      if (security === undefined) throw new Error("no security")
      const plain = { certificateOf: () => undefined, random: () => 0, makeId: () => "id" }
      return talk({ server, timers, ...security, ...plain })
    }
  )

const administrator = { user: "admin", groups: ["system:masters"], userAgent: "conformance" }

const inProcess = (options: ApiServerOptions, talk: (server: ApiServerShape, timers: TimersShape) => Json): Json => {
  const time = makeVirtualTime(SERVER_TIME_MS)
  const program = Effect.map(ApiServer, (server) => talk(server, time.timers))
  const exit = time.run(program.pipe(Effect.provide(ApiServer.layer(options).pipe(Layer.provide(layerMemory())))))
  if (exit._tag === "Failure") throw new Error(String(exit.cause))
  return exit.value
}
