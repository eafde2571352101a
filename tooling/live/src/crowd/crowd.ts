import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ClusterRoleBinding, KubeObject } from "@rollcall/api"
import { fromConnection } from "@rollcall/cluster"
import { type ClientConfig, type RawRequest, rawOf } from "@rollcall/kube-client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { assertThat } from "../kill/Ledger.ts"
import { configOf, connectionTo, freePort, readyServer, temporaryFolder } from "../process/rollcall.ts"

export interface CrowdReport {
  readonly clients: number
  /** The number of responses of each kind: `200`, `409 Conflict`, … */
  readonly answers: Readonly<Record<string, number>>
  /** Requests per second. */
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The number of writes of shared objects that got 409, because another client wrote the object first. */
  readonly conflicts: number
}

const SHARED_OBJECTS = 20
const NAMESPACE = "default"

const paths = {
  Lease: `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`,
  ConfigMap: `/api/v1/namespaces/${NAMESPACE}/configmaps`
} as const
type Kind = keyof typeof paths

const newObject = (kind: Kind, name: string) =>
  kind === "Lease"
    ? {
        apiVersion: "coordination.k8s.io/v1",
        kind,
        metadata: { name },
        spec: { holderIdentity: name, leaseDurationSeconds: 40 }
      }
    : { apiVersion: "v1", kind, metadata: { name }, data: { writes: "0" } }

/** Returns the object changed for its next write. */
const withNextWrite = (object: KubeObject, writer: number, count: number): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { writer: `${writer}.${count}` } }
})

const adminBinding: ClusterRoleBinding = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "crowd" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "crowd" }]
}

type Body = KubeObject & { readonly reason?: string; readonly message?: string }

/** Parses a response body. Flow control rejects with plain text. */
const bodyOf = ({ body, code }: { readonly body: string; readonly code: number }): Body =>
  (code === 429 ? { reason: "TooManyRequests", message: body } : JSON.parse(body)) as Body

interface Tally {
  readonly answers: Map<string, number>
  readonly latencies: Array<number>
}

/** Runs one client with its own connection: creates an object, then writes it and the shared objects `writes` times. */
const runClient = Effect.fnUntraced(function* (config: ClientConfig, number: number, writes: number, tally: Tally) {
  const raw = rawOf(yield* connectionTo(config, { maxSockets: 1, requestTimeoutMs: 120_000 }))
  const sendMeasured = (request: RawRequest) =>
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeMillis
      const answer = yield* Effect.orDie(raw(request))
      tally.latencies.push((yield* Clock.currentTimeMillis) - started)
      const body = bodyOf(answer)
      const key = answer.code < 300 ? String(answer.code) : `${answer.code} ${body.reason}`
      tally.answers.set(key, (tally.answers.get(key) ?? 0) + 1)
      const allowed = answer.code < 300 || answer.code === 409 || answer.code === 429
      assertThat(allowed, () => `${request.method} ${request.path}: ${answer.code} ${body.message}`)
      assertThat(!/locked|busy/i.test(body.message ?? ""), () => body.message ?? "")
      if (answer.code === 429) {
        const wait = Number(answer.headers["retry-after"])
        assertThat(wait > 0, () => "429 without Retry-After")
        yield* Effect.sleep(wait * 1000)
      }
      return { code: answer.code, body }
    })
  const send = (method: "POST" | "PUT", path: string, object: unknown) =>
    sendMeasured({ method, path, headers: { "content-type": "application/json" }, body: JSON.stringify(object) })

  const kind: Kind = number % 2 === 0 ? "Lease" : "ConfigMap"
  const ownName = `own-${number}`
  let ownObject: KubeObject | undefined
  for (let count = 0; count < writes; count++) {
    if (ownObject === undefined) {
      const created = yield* send("POST", paths[kind], newObject(kind, ownName))
      assertThat(created.code !== 409, () => `${ownName} was never made, and is there already`)
      if (created.code === 201) ownObject = created.body
    } else if (count % 3 === 2) {
      // Every third write is of an object that other clients write as well.
      const path = `${paths.ConfigMap}/shared-${number % SHARED_OBJECTS}`
      const read = yield* sendMeasured({ method: "GET", path })
      if (read.code === 200) yield* send("PUT", path, withNextWrite(read.body, number, count))
    } else {
      const updated = yield* send("PUT", `${paths[kind]}/${ownName}`, withNextWrite(ownObject, number, count))
      assertThat(updated.code !== 409, () => `${ownName}: a conflict about an object that nobody else writes`)
      if (updated.code === 200) ownObject = updated.body
    }
  }
}, Effect.scoped)

/** Runs clients concurrently over HTTPS, each with its own connection and `writes` writes: none may get a 5xx. */
export const crowd = Effect.fnUntraced(function* (clients: number, writes: number, args: ReadonlyArray<string> = []) {
  const folder = yield* temporaryFolder
  const tokens = join(folder, "tokens.csv")
  writeFileSync(tokens, "crowd,crowd,1\n")
  const server = yield* readyServer({ folder, port: yield* freePort, args: ["--token-auth-file", tokens, ...args] })
  const admin = yield* configOf(server.kubeconfig)
  const raw = rawOf(yield* connectionTo(admin))
  // Administrators are exempt from the limits.
  yield* Effect.orDie(fromConnection(yield* connectionTo(admin)).create("ClusterRoleBinding", adminBinding))
  const { cert: _cert, key: _key, ...tls } = admin.tls
  const config: ClientConfig = { ...admin, tls, auth: { type: "token", token: "crowd" } }
  for (let index = 0; index < SHARED_OBJECTS; index++) {
    const request = { method: "POST", path: paths.ConfigMap, headers: { "content-type": "application/json" } } as const
    const body = JSON.stringify(newObject("ConfigMap", `shared-${index}`))
    yield* Effect.orDie(raw({ ...request, body }))
  }
  const tally: Tally = { answers: new Map(), latencies: [] }
  const started = yield* Clock.currentTimeMillis
  yield* Effect.forEach(
    Array.from({ length: clients }, (_, number) => number),
    (number) => runClient(config, number, writes, tally),
    { concurrency: "unbounded", discard: true }
  )
  const seconds = ((yield* Clock.currentTimeMillis) - started) / 1000
  assertThat(!server.program.hasEnded(), () => server.program.stderr())
  const sorted = tally.latencies.sort((left, right) => left - right)
  const quantileMs = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  return {
    clients,
    answers: Object.fromEntries([...tally.answers].sort()),
    perSecond: sorted.length / seconds,
    p50Ms: quantileMs(0.5),
    p99Ms: quantileMs(0.99),
    conflicts: tally.answers.get("409 Conflict") ?? 0
  } satisfies CrowdReport
}, Effect.scoped)
