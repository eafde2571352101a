import { ApiServer } from "@rollcall/api-server"
import { type AnyKind, type ApiRequest, type Connection, cancellable, makeEventRecorder } from "@rollcall/cluster"
import { kubeletConfig, makeModelledHost, makeModelledKubelet, makeModelledPodRuntime } from "@rollcall/kubelet"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime, rngFor, type VirtualTime } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { requestsAbout } from "./belongs.ts"
import { type KubeletRequest, type Life, type Shape, stepsFor } from "./Life.ts"

export const START_MS = Date.UTC(2026, 0, 1)
/** When the first step is sent: the kubelet is Ready then. */
const FIRST_STEP_MS = START_MS + 15_000
export const NODE_NAME = "node-1"

const resourceOf = (kind: AnyKind): string => `${kind.toLowerCase()}s`

const requestFrom = (firstStepMs: number, atMs: number, request: ApiRequest, code: number): KubeletRequest => {
  const subresource = "subresource" in request && request.subresource !== undefined ? `/${request.subresource}` : ""
  const object = "object" in request ? request.object : undefined
  const named = (object as { readonly metadata?: { readonly name?: string } } | undefined)?.metadata?.name
  const body =
    object ?? (request.verb === "patch" ? request.body : request.verb === "delete" ? request.options : undefined)
  return {
    at: Math.round((atMs - firstStepMs) / 10) / 100,
    verb: request.verb,
    resource: `${resourceOf(request.kind)}${subresource}`,
    name: ("name" in request ? request.name : undefined) ?? named ?? "",
    code,
    ...(body === undefined ? {} : { body: JSON.parse(JSON.stringify(body)) })
  }
}

/** Returns a connection that adds each answered request to a list. */
export const recorded = (
  to: Connection,
  { timers }: VirtualTime,
  requests: Array<KubeletRequest>,
  firstStepMs: number
): Connection => ({
  ...to,
  send: cancellable((request, reply) => {
    const atMs = timers.now()
    const place = requests.length
    requests.push(requestFrom(firstStepMs, atMs, request, 0))
    to.send(request, (answer) => {
      const code = Result.isSuccess(answer)
        ? request.verb === "create"
          ? 201
          : 200
        : answer.failure._tag === "ApiError"
          ? (answer.failure.status.code ?? 0)
          : 0
      requests[place] = requestFrom(firstStepMs, atMs, request, code)
      reply(answer)
    })
  })
})

export const startServer = (time: VirtualTime): Context.Service.Shape<typeof ApiServer> => {
  const layer = ApiServer.layer().pipe(Layer.provide(layerMemory()))
  const exit = time.run(
    Effect.flatMap(Scope.make(), (scope) => Layer.buildWithScope(layer, scope)).pipe(Random.withSeed("compare-kubelet"))
  )
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return Context.get(exit.value, ApiServer)
}

/** Plays a shape on Rollcall's kubelet and API server in virtual time, and returns what the kubelet did. */
export const rehearseLife = (shape: Shape): Life => {
  const time = makeVirtualTime(START_MS)
  const server = startServer(time)
  const requests: Array<KubeletRequest> = []
  const user = `system:node:${NODE_NAME}`
  const node = server.connect({ user, groups: ["system:nodes"], userAgent: "kubelet/v1.36.2" })
  const connection = recorded(node, time, requests, FIRST_STEP_MS)
  const random = rngFor(1, NODE_NAME)
  const kubelet = makeModelledKubelet(time.timers, {
    name: NODE_NAME,
    connection,
    config: kubeletConfig(),
    host: makeModelledHost({ name: NODE_NAME }),
    runtime: makeModelledPodRuntime(time.timers, { runtimeHandlers: ["runc"] }),
    recorder: makeEventRecorder(connection, time.timers, random, { component: "kubelet", host: NODE_NAME })
  })
  kubelet.startKubelet()
  const admin = server.connect({ user: "admin", groups: ["system:masters"], userAgent: "compare-kubelet/v1" })
  for (const { at, request } of stepsFor(shape, NODE_NAME)) {
    time.runUntil(FIRST_STEP_MS + at * 1000)
    admin.send(request, (answer) => {
      if (Result.isFailure(answer)) throw new Error(`${shape.name} at ${at} s: ${answer.failure.message}`)
    })
  }
  time.runUntil(FIRST_STEP_MS + shape.seconds * 1000)
  return { ...shape, node: NODE_NAME, requests: requestsAbout(shape.name, requests) }
}
