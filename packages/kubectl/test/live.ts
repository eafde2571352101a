import { ApiServer } from "@rollcall/api-server"
import { customResources } from "@rollcall/api-server/custom"
import { listen, makeHandler, versionInfo } from "@rollcall/api-server/http"
import { securityPlan } from "@rollcall/api-server/security"
import { KubeClient, type KubeClientShape } from "@rollcall/kube-client"
import { layerMemory } from "@rollcall/store"
import { layerWallClock, Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** An API server on its own port, with an administrator's client. */
export const startServerWithClient: Effect.Effect<
  { readonly client: KubeClientShape; readonly url: string },
  unknown,
  Scope.Scope
> = Effect.gen(function* () {
  const context = yield* Layer.build(
    ApiServer.layer({
      managedFields: true,
      customResources,
      security: securityPlan({
        modes: ["RBAC"],
        tokens: [{ token: "admin", user: "admin", groups: ["system:masters"] }]
      })
    }).pipe(Layer.provide(layerMemory()), Layer.provideMerge(layerWallClock()))
  )
  const server = Context.get(context, ApiServer)
  const timers = Context.get(context, Timers)
  if (server.security === undefined) return yield* Effect.die("no security")
  let ids = 0
  const handler = makeHandler({
    server,
    timers,
    ...server.security,
    certificateOf: () => undefined,
    random: () => 0.5,
    makeId: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`,
    version: versionInfo("v1.36.2"),
    address: () => "localhost"
  })
  const { port } = yield* listen(handler, { host: "127.0.0.1", port: 0 })
  const url = `http://127.0.0.1:${port}`
  const config = { server: url, tls: {}, auth: { type: "token", token: "admin" }, namespace: "default" } as const
  const clients = yield* Layer.build(
    KubeClient.layer({ config, userAgent: "kubectl/v1.32.0" }).pipe(Layer.provide(Layer.succeed(Timers, timers)))
  )
  return { client: Context.get(clients, KubeClient), url }
})
