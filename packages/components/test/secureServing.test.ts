import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request as httpsRequest } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openPki, selfSigned } from "@rollcall/pki"
import { MetricSet } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { healthServer } from "../src/serving/HealthServer.ts"
import { Access, type Caller, type Reviewer } from "../src/serving/secure/Access.ts"
import { servingPair } from "../src/serving/secure/servingPair.ts"

interface Answer {
  readonly code: number
  readonly body: string
}

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-secure-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** A reviewer that knows one token, and lets the user of it get /metrics; it records what it is asked. */
const makeReviewer = () => {
  const asked: Array<string> = []
  const waiting: Array<() => void> = []
  const reviewer: Reviewer = {
    reviewToken: async (token) => {
      asked.push(token)
      if (token === "broken") throw new Error("no connection")
      if (token.startsWith("slow")) await new Promise((resolve) => waiting.push(() => resolve(undefined)))
      return token === "good" ? { user: "prometheus", groups: ["system:authenticated"] } : undefined
    },
    reviewAccess: async ({ user }: Caller, verb, path) => {
      asked.push(`${user} ${verb} ${path}`)
      if (user === "broken") throw new Error("no connection")
      return { allowed: user === "prometheus" && path === "/metrics", reason: "" }
    }
  }
  return { asked, reviewer, waiting }
}

/** A secure port of a component, with a CA of client certificates. */
const startSecure = Effect.fnUntraced(function* () {
  const folder = yield* temporaryFolder
  const clients = yield* openPki({ folder, nowMs: Date.now() })
  const { asked, reviewer, waiting } = makeReviewer()
  const errors: Array<string> = []
  let nowMs = 0
  const access = new Access({
    alwaysAllowed: ["/healthz"],
    tokens: reviewer,
    access: reviewer,
    verifiesCertificates: () => true,
    now: () => nowMs,
    allowedTtlMs: 1000,
    deniedTtlMs: 1000,
    tokenTtlMs: 1000,
    handleError: (error) => errors.push(String(error))
  })
  const { certificatePem, keyPem } = selfSigned([], Date.now())
  const port = yield* healthServer({
    host: "127.0.0.1",
    port: 0,
    flagNames: { port: "--secure-port", host: "--bind-address" },
    checks: () => [],
    metrics: new MetricSet(),
    secure: { key: keyPem, cert: certificatePem, clientCa: () => clients.authorityPem, onClientCa: () => {}, access }
  })
  const get = (
    path: string,
    options: { readonly token?: string; readonly cert?: string; readonly key?: string } = {}
  ) =>
    Effect.callback<Answer>((resume) => {
      const { token, ...client } = options
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const to = { host: "127.0.0.1", port, path, headers, agent: false, rejectUnauthorized: false, ...client }
      const sent = httpsRequest(to, (response) => {
        let body = ""
        response.setEncoding("utf8")
        response.on("data", (text: string) => {
          body += text
        })
        response.on("end", () => resume(Effect.succeed({ code: response.statusCode ?? 0, body })))
      })
      sent.on("error", (error) => resume(Effect.die(error)))
      sent.end()
    })
  const passTime = (ms: number) => {
    nowMs += ms
  }
  return { get, asked, clients, errors, passTime, waiting }
})

const messageOf = ({ body }: Answer): string => JSON.parse(body).message

describe("a secure port", () => {
  it.live("asks who calls and whether it may, except for paths that anyone may get", () =>
    Effect.gen(function* () {
      const { asked, get, passTime } = yield* startSecure()
      assert.deepStrictEqual(yield* get("/healthz"), { code: 200, body: "ok" })
      assert.deepStrictEqual(asked, [])
      const refused = yield* get("/metrics")
      assert.strictEqual(refused.code, 403)
      assert.strictEqual(messageOf(refused), 'forbidden: User "system:anonymous" cannot get path "/metrics"')
      assert.strictEqual((yield* get("/metrics", { token: "good" })).code, 200)
      assert.strictEqual((yield* get("/configz", { token: "good" })).code, 403)
      const unknown = yield* get("/healthz", { token: "bad" })
      assert.deepStrictEqual([unknown.code, messageOf(unknown)], [401, "Unauthorized"])
      const before = asked.length
      yield* get("/metrics", { token: "good" })
      assert.strictEqual(asked.length, before)
      passTime(1001)
      yield* get("/metrics", { token: "good" })
      assert.deepStrictEqual(asked.slice(before), ["good", "prometheus get /metrics"])
    }).pipe(Effect.scoped)
  )

  it.live("remembers unknown tokens, reports why one could not be reviewed, and bounds the reviews under way", () =>
    Effect.gen(function* () {
      const { asked, errors, get, passTime, waiting } = yield* startSecure()
      for (const token of ["bad", "bad", "broken", "broken"]) {
        assert.strictEqual((yield* get("/metrics", { token })).code, 401)
      }
      assert.deepStrictEqual(asked, ["bad", "broken", "broken"])
      assert.deepStrictEqual(errors, ["Error: no connection", "Error: no connection"])
      passTime(1001)
      yield* get("/metrics", { token: "bad" })
      assert.strictEqual(asked.length, 4)

      const slow = Array.from({ length: 101 }, (_, index) => get("/metrics", { token: `slow-${index}` }))
      const fiber = yield* Effect.forkChild(Effect.all(slow, { concurrency: "unbounded" }))
      while (errors.length < 3) yield* Effect.sleep(5)
      assert.strictEqual(errors[2], "Error: 100 reviews are under way")
      for (const answer of waiting) answer()
      assert.isTrue((yield* Fiber.join(fiber)).every(({ code }) => code === 401))
    }).pipe(Effect.scoped)
  )

  it.live("knows the users of client certificates of its CA, and the privileged group", () =>
    Effect.gen(function* () {
      const { asked, clients, get } = yield* startSecure()
      const { certificatePem: cert, keyPem: key } = clients.clientCertificate(
        { commonName: "admin", organizations: ["system:masters"] },
        Date.now()
      )
      assert.strictEqual((yield* get("/metrics", { cert, key })).code, 200)
      assert.deepStrictEqual(asked, [])
      const broken = clients.clientCertificate({ commonName: "broken" }, Date.now())
      const failed = yield* get("/metrics", { cert: broken.certificatePem, key: broken.keyPem })
      assert.deepStrictEqual(failed, { code: 500, body: 'Internal Server Error: "/metrics": no connection\n' })
      const foreign = selfSigned([], Date.now())
      const invalid = yield* get("/healthz", { cert: foreign.certificatePem, key: foreign.keyPem })
      assert.strictEqual(invalid.code, 401)
    }).pipe(Effect.scoped)
  )
})

describe("the certificate of a secure port", () => {
  const flags = { "bind-address": "127.0.0.1", "cert-dir": "", "tls-cert-file": "", "tls-private-key-file": "" }

  it.live("is kept in --cert-dir, read from files, or made anew", () =>
    Effect.gen(function* () {
      const folder = join(yield* temporaryFolder, "certs")
      const kept = yield* servingPair({ ...flags, "cert-dir": folder }, "kube-scheduler", Date.now())
      assert.deepStrictEqual(yield* servingPair({ ...flags, "cert-dir": folder }, "kube-scheduler", 0), kept)
      const files = {
        "tls-cert-file": join(folder, "kube-scheduler.crt"),
        "tls-private-key-file": join(folder, "kube-scheduler.key")
      }
      assert.deepStrictEqual(yield* servingPair({ ...flags, ...files }, "other", 0), kept)
      assert.notDeepEqual(yield* servingPair(flags, "kube-scheduler", Date.now()), kept)
      writeFileSync(files["tls-cert-file"], "")
      const alone = { ...flags, "tls-cert-file": files["tls-cert-file"] }
      const refused = yield* Effect.flip(servingPair(alone, "other", 0))
      assert.include(refused.message, "must be given together")
    }).pipe(Effect.scoped)
  )
})
