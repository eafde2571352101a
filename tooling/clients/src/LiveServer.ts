import { randomUUID } from "node:crypto"
import { ApiServer, type ApiServerShape } from "@rollcall/api-server"
import { customResources } from "@rollcall/api-server/custom"
import { type HandlerOptions, listen, makeHandler, versionInfo } from "@rollcall/api-server/http"
import type { ClientConfig } from "@rollcall/kube-client"
import { layerMemory } from "@rollcall/store"
import { layerWallClock, rngOf, Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { selfSigned } from "./selfSigned.ts"

/** An API server with an in-memory store, listening on a local port. */
export interface LiveServerShape {
  readonly url: string
  readonly port: number
  readonly server: ApiServerShape
  readonly config: ClientConfig
}

const TOKEN = "admin"

const authenticator: HandlerOptions["authenticator"] = {
  authenticate: ({ headers }) =>
    headers.authorization === `Bearer ${TOKEN}`
      ? { user: "admin", groups: ["system:masters", "system:authenticated"] }
      : undefined
}

const authorizer: HandlerOptions["authorizer"] = {
  authorize: ({ user }) => ({ decision: user.user === "system:anonymous" ? "NoOpinion" : "Allow", reason: "" }),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false })
}

export class LiveServer extends Context.Service<LiveServer, LiveServerShape>()("@rollcall/clients/LiveServer") {
  /** A server without TLS; the token `admin` has all rights. */
  static readonly layer: Layer.Layer<LiveServer | Timers> = Layer.suspend(() => live(undefined))
  /** The same over TLS. */
  static readonly layerTls: Layer.Layer<LiveServer | Timers> = Layer.suspend(() => live(selfSigned()))
}

function live(tls: { readonly key: string; readonly cert: string } | undefined): Layer.Layer<LiveServer | Timers> {
  return Layer.effect(
    LiveServer,
    Effect.gen(function* () {
      const server = yield* ApiServer
      const timers = yield* Timers
      const address = { port: 0 }
      const handler = makeHandler({
        server,
        timers,
        authenticator,
        authorizer,
        anonymous: true,
        certificateOf: () => undefined,
        random: rngOf(1),
        makeId: randomUUID,
        version: versionInfo("v1.36.2"),
        address: () => `127.0.0.1:${address.port}`
      })
      const { port } = yield* Effect.orDie(listen(handler, { host: "127.0.0.1", port: 0, ...(tls && { tls }) }))
      address.port = port
      const url = `${tls ? "https" : "http"}://127.0.0.1:${port}`
      const config: ClientConfig = {
        server: url,
        tls: tls ? { ca: tls.cert } : {},
        auth: { type: "token", token: TOKEN },
        namespace: "default"
      }
      return LiveServer.of({ url, port, server, config })
    })
  ).pipe(
    Layer.provide(
      Layer.orDie(ApiServer.layer({ managedFields: true, customResources }).pipe(Layer.provide(layerMemory())))
    ),
    Layer.provideMerge(layerWallClock())
  )
}
