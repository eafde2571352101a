import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { rawOf } from "@rollcall/kube-client"
import type { Timers } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Program } from "../process/Program.ts"
import { configOf, connectionTo, freePort, readyServer, temporaryFolder } from "../process/rollcall.ts"
import { type KubeletTarget, startKubeletTarget } from "./KubeletTarget.ts"
import type { Answer, Request, Who } from "./Request.ts"

/** The server under attack, a separate process. */
export interface Target {
  readonly program: Program
  readonly port: number
  readonly folder: string
  /** The path of its administrator's kubeconfig. */
  readonly kubeconfig: string
  /** The certificate of its CA, as PEM. */
  readonly ca: string
  /** Sends a request as a user, over one connection for each user. */
  readonly ask: (who: Who, request: Request) => Effect.Effect<Answer>
  /** Returns the bearer token of a user, or undefined for `anonymous`, and for `admin`, who has a certificate. */
  readonly tokenOf: (who: Who) => string | undefined
  readonly nodes: number
  /** A kubelet of the cluster, a process of its own that is started with the first attack on it. */
  readonly kubelet: Effect.Effect<KubeletTarget>
}

const NAMES = ["operator", "guard", "tenant", "stranger"] as const
const RESPONSE_TIMEOUT_MS = 60_000

const binding = (kind: "ClusterRoleBinding" | "RoleBinding", user: string, role: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind,
  metadata: { name: `attack-${user}-${role}` },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }]
})

const tokenFile = (nodes: number): string =>
  [
    ...NAMES.map((name) => `token-${name},${name},${name}`),
    "token-leader,system:kube-controller-manager,leader",
    ...Array.from(
      { length: nodes },
      (_, index) => `token-node-${index},system:node:node-${index},n${index},system:nodes`
    )
  ].join("\n")

const textOf = (body: unknown): string | Uint8Array | undefined =>
  body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)

/** Starts a server with the users that attack it; the scope stops it. */
export const startTarget = Effect.fnUntraced(function* (nodes: number) {
  const folder = yield* temporaryFolder
  const port = yield* freePort
  const tokens = join(folder, "tokens.csv")
  writeFileSync(tokens, tokenFile(nodes))
  const server = yield* readyServer({
    folder: join(folder, "data"),
    port,
    args: ["--token-auth-file", tokens]
  })
  const admin = yield* configOf(server.kubeconfig)
  const { cert: _cert, key: _key, ...tls } = admin.tls
  const connect = Effect.fnUntraced(function* (who: Who) {
    if (who === "admin") return rawOf(yield* connectionTo(admin))
    const auth = who === "anonymous" ? ({ type: "none" } as const) : ({ type: "token", token: `token-${who}` } as const)
    return rawOf(yield* connectionTo({ ...admin, tls, auth }))
  })
  const context = yield* Effect.context<Scope.Scope | Timers>()
  const connections = new Map<Who, Effect.Success<ReturnType<typeof connect>>>()
  const ask = Effect.fnUntraced(function* (who: Who, request: Request) {
    const raw = connections.get(who) ?? (yield* connect(who).pipe(Effect.provide(context)))
    connections.set(who, raw)
    const { body, headers = {}, method, path, timeoutMs = RESPONSE_TIMEOUT_MS } = request
    const text = textOf(body)
    const type = text === undefined ? {} : { "content-type": "application/json" }
    const startedMs = yield* Clock.currentTimeMillis
    const answer = yield* raw({
      method,
      path,
      timeoutMs,
      headers: { ...type, ...headers },
      ...(text === undefined ? {} : { body: text })
    }).pipe(Effect.catch((error) => Effect.succeed({ code: 0, headers: {}, body: String(error.message) })))
    const tookMs = (yield* Clock.currentTimeMillis) - startedMs
    const response: Answer = { code: answer.code, headers: answer.headers, body: answer.body, tookMs }
    return response
  })
  const rbac = "/apis/rbac.authorization.k8s.io/v1"
  for (const user of ["operator", "guard"]) {
    yield* ask("admin", {
      method: "POST",
      path: `${rbac}/clusterrolebindings`,
      body: binding("ClusterRoleBinding", user, "cluster-admin")
    })
  }
  // What `admin` aggregates: an API server alone has no controller that does.
  for (const part of ["admin", "edit", "view"]) {
    yield* ask("admin", {
      method: "POST",
      path: `${rbac}/namespaces/default/rolebindings`,
      body: binding("RoleBinding", "tenant", `system:aggregate-to-${part}`)
    })
  }
  yield* ask("admin", {
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts",
    body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } }
  })
  const served = {
    folder,
    kubeconfig: server.kubeconfig,
    ca: admin.tls.ca ?? "",
    ask
  }
  const target: Target = {
    ...served,
    program: server.program,
    port,
    tokenOf: (who) => (who === "anonymous" || who === "admin" ? undefined : `token-${who}`),
    nodes,
    kubelet: yield* Effect.cached(Effect.provide(startKubeletTarget(served), context))
  }
  return target
})
