import { mkdtempSync, rmSync } from "node:fs"
import { request as httpsRequest } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defaultRelease, type Node, type Pod } from "@rollcall/api"
import { KubeletTransport, type KubeletTransportShape, noKubelets } from "@rollcall/api-server/http"
import { fromConnection } from "@rollcall/cluster"
import { defaultInFlightLimits } from "@rollcall/flow-control"
import { layerMemory } from "@rollcall/store"
import { layerWallClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ServerProcess, type ServerSettings } from "../src/apiserver/ApiServerProcess.ts"
import { Host } from "../src/host/Host.ts"

const ADMIN = { user: "admin", groups: ["system:masters"], userAgent: "test" }
const TOKEN = "admin-token"

export interface FarAnswer {
  readonly code: number
  readonly text: string
  /** Whether the answer was complete. */
  readonly isWhole: boolean
}

/** An API server that dials kubelets, on a free port until the scope closes, with its objects in memory. */
export const startFarServer = Effect.fnUntraced(function* (
  kubelets: ServerSettings["kubelets"] = {},
  transport: KubeletTransportShape = noKubelets
) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-far-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true }))
  )
  const settings: ServerSettings = {
    release: defaultRelease,
    folder,
    acceptDataLoss: false,
    host: "127.0.0.1",
    port: 0,
    flagNames: { port: "--secure-port", host: "--bind-address" },
    names: [],
    inFlight: defaultInFlightLimits,
    eventTtlMs: 60_000,
    keepsEndpoints: false,
    kubelets,
    security: {
      release: defaultRelease,
      modes: ["AlwaysAllow"],
      disabled: ["ServiceAccount"],
      anonymous: false,
      tokens: [{ token: TOKEN, user: "admin", uid: "1", groups: ["system:masters"] }]
    }
  }
  const host = Layer.succeed(Host, {
    environment: {},
    hostname: "here",
    homeFolder: folder,
    temporaryFolder: folder,
    processId: process.pid,
    wallClockMs: () => Date.now(),
    print: () => {},
    log: () => {},
    output: () => {},
    error: () => {},
    stdin: () => Promise.resolve("")
  })
  const built = yield* Layer.build(
    ServerProcess.layer(settings).pipe(
      Layer.provide([layerMemory(), host, Layer.succeed(KubeletTransport, transport)]),
      Layer.provide(layerWallClock())
    )
  )
  const { listening, pki, server } = Context.get(built, ServerProcess)
  const cluster = fromConnection(server.connect(ADMIN))
  const open = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    httpsRequest({
      host: "127.0.0.1",
      port: listening.port,
      path,
      method,
      agent: false,
      ca: pki.authorityPem,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers }
    })
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    Effect.callback<FarAnswer>((resume) => {
      const request = open(path, headers, method)
      request.on("error", (error) => resume(Effect.succeed({ code: 0, text: error.message, isWhole: false })))
      request.on("response", (response) => {
        let text = ""
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString()
        })
        response.on("error", () => {})
        response.on("close", () =>
          resume(Effect.succeed({ code: response.statusCode ?? 0, text, isWhole: response.complete }))
        )
      })
      request.end()
    })
  /** Adds a Node whose kubelet is at an address, and a running pod on it. */
  const addNode = Effect.fnUntraced(function* (
    name: string,
    address: string,
    port: number,
    features: ReadonlyArray<string> = []
  ) {
    const node: Node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name },
      status: {
        addresses: [{ type: "InternalIP", address }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
        declaredFeatures: features
      }
    }
    const { status: _, ...bare } = node
    const { metadata } = yield* cluster.create("Node", bare)
    yield* cluster.updateStatus("Node", { ...node, metadata })
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `on-${name}`, namespace: "default" },
      spec: { nodeName: name, automountServiceAccountToken: false, containers: [{ name: "c", image: "x" }] }
    }
    yield* cluster.create("Pod", pod as Pod)
  })
  return { ask, open, cluster, addNode, pki, port: listening.port }
})
