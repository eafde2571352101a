import type { Answer, ApiRequest, ClusterError, WatchEvent, WatchRequest } from "@rollcall/cluster"
import { layerWallClock, Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ClientConfig } from "../src/ClientConfig.ts"
import { type ConnectionOptions, type KubeConnection, makeConnection } from "../src/makeConnection.ts"
import { type Script, type ScriptedServer, startScriptedServer } from "./ScriptedServer.ts"

export interface ServerAndClient {
  readonly server: ScriptedServer
  readonly client: KubeConnection
  readonly timers: TimersShape
}

export const plainConfig = (server: string): ClientConfig => ({
  server,
  tls: {},
  auth: { type: "none" },
  namespace: "default"
})

type ServerOptions = Omit<Partial<ConnectionOptions>, "config"> & {
  readonly tls?: boolean
  readonly speaksHttp2?: boolean
  readonly config?: (url: string) => ClientConfig
}

/** A scripted server and a client of it, for one test. */
export const withServer = <A, E>(
  script: Script,
  use: (serverAndClient: ServerAndClient) => Effect.Effect<A, E, Scope.Scope | Timers>,
  { config = plainConfig, speaksHttp2 = false, tls = false, ...options }: ServerOptions = {}
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const timers = yield* Timers
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startScriptedServer(script, { tls, http2: speaksHttp2 })),
      (made) => Effect.promise(made.close)
    )
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => makeConnection({ config: config(server.url), timers, userAgent: "test/v1", ...options })),
      (made) => Effect.sync(made.close)
    )
    return yield* use({ server, client, timers })
  }).pipe(Effect.scoped, Effect.provide(layerWallClock()))

export const send = (client: KubeConnection, request: ApiRequest): Effect.Effect<Answer> =>
  Effect.callback((resume) => {
    client.send(request, (answer) => resume(Effect.succeed(answer)))
  })

export interface WatchResult {
  readonly events: ReadonlyArray<WatchEvent>
  readonly error: ClusterError | undefined
}

/** Watches until the end. */
export const watchToEnd = (client: KubeConnection, request: Omit<WatchRequest, "verb">): Effect.Effect<WatchResult> =>
  Effect.callback((resume) => {
    const events: Array<WatchEvent> = []
    client.watch(
      { ...request, verb: "watch" },
      {
        events: (batch) => {
          events.push(...batch)
        },
        end: (error) => resume(Effect.succeed({ events, error }))
      }
    )
  })
