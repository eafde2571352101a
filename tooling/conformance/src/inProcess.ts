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

/** The time of these servers, in milliseconds since the Unix epoch (2026-01-01). It does not advance. */
export const SERVER_TIME_MS = 1_767_225_600_000

/**
 * Runs requests against a new API server as an administrator, and returns the result of `run`. `plugins` are called before the default
 * ones.
 */
export const withServer = (plugins: ReadonlyArray<AdmissionPlugin>, run: (send: Send) => Json): Json =>
  withAdmission([...plugins, ...defaultAdmissionPlugins()], run)

/** Runs requests like `withServer`, with these plugins alone. */
export const withAdmission = (admission: ReadonlyArray<AdmissionPlugin>, run: (send: Send) => Json): Json =>
  inProcess({ admission }, ({ connect }) => {
    const connection = connect(administrator)
    return run((request) => {
      let answer: Answer | undefined
      connection.send(request, (given) => {
        answer = given
      })
      if (answer === undefined) throw new Error("no answer")
      return answer
    })
  })

/** The response of the API server over HTTP. */
export interface ServedResponse {
  readonly code: number
  /** The object, or the Status of a refusal. */
  readonly body: unknown
  /** The Warning headers. */
  readonly warnings: ReadonlyArray<string>
}

/** Sends a request and returns its synchronous response over HTTP. */
export type Serve = (request: ApiRequest) => ServedResponse

const bodyOf = (answer: Answer): unknown => {
  if (Result.isSuccess(answer)) return answer.success
  if (answer.failure._tag !== "ApiError") throw answer.failure
  return answer.failure.status
}

/** Runs requests against a new API server that keeps managedFields, as an administrator. */
export const withFieldOwnership = (run: (serve: Serve) => Json): Json =>
  inProcess({ managedFields: true }, (server) =>
    run((request) => {
      let served: ServedResponse | undefined
      server.serve(administrator, request, (answer, code, warnings) => {
        served = { code, body: bodyOf(answer), warnings }
      })
      if (served === undefined) throw new Error("no answer")
      return served
    })
  )

/** Runs `run` with the options of an HTTP handler, whose API server has the tokens `admin` (all rights) and `alice` (none). */
export const withHttp = (run: (options: Omit<HandlerOptions, "version" | "address">) => Json): Json =>
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
      const fixed = { certificateOf: () => undefined, random: () => 0, makeId: () => "id" }
      return run({ server, timers, ...security, ...fixed })
    }
  )

const administrator = { user: "admin", groups: ["system:masters"], userAgent: "conformance" }

/** Builds an API server in virtual time, and returns the result of `run`. */
const inProcess = (options: ApiServerOptions, run: (server: ApiServerShape, timers: TimersShape) => Json): Json => {
  const time = makeVirtualTime(SERVER_TIME_MS)
  const program = Effect.map(ApiServer, (server) => run(server, time.timers))
  const exit = time.run(program.pipe(Effect.provide(ApiServer.layer(options).pipe(Layer.provide(layerMemory())))))
  if (exit._tag === "Failure") throw new Error(String(exit.cause))
  return exit.value
}
