import { readFileSync } from "node:fs"
import { Agent, request as httpRequest } from "node:http"
import { type Profiler, Session } from "node:inspector/promises"
import { assert, describe, it } from "@effect/vitest"
import type { Lease } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
const HEADERS = { authorization: "Bearer admin", "content-type": "application/json" }
const ROUNDS = 4

const lease = (name: string) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "kube-node-lease" },
  spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: "2026-01-01T00:00:00.000000Z" }
})

/** The files that the page names, in its order. */
const documentedFiles = (): ReadonlyArray<string> => {
  const page = readFileSync(new URL("../../../../docs/reference/api-server.md", import.meta.url), "utf8")
  const [, section = ""] = page.split("## How a Lease is renewed")
  return [...(section.split("\n## ")[0] ?? "").matchAll(/^\d+\. `([^`]+)`: /gm)].map(([, file = ""]) => file)
}

const SOURCE = /packages\/(api-server|dynamic-admission|field-ownership|flow-control|rbac|streams)\/src\/(.*)/

/** The files of the server's packages in which a function ran. */
const filesOf = (scripts: ReadonlyArray<Profiler.ScriptCoverage>): ReadonlySet<string> =>
  new Set(
    scripts
      .filter(({ functions }) => functions.some(({ ranges: [range] }) => range !== undefined && range.count > 0))
      .flatMap(({ url }) => {
        const [, owner, file] = SOURCE.exec(url) ?? []
        // The test runner makes getters of re-exports.
        if (file === undefined || file.endsWith("index.ts")) return []
        return [owner === "api-server" ? file : `${owner}/${file}`]
      })
  )

describe("the path of a Lease renewal", () => {
  it.live("uses the files that docs/reference/api-server.md names, and no others", () =>
    Effect.gen(function* () {
      const { ask, port, stream } = yield* startServer({ fair: {}, makeId: () => "id" })
      const created = yield* ask("POST", LEASES, { body: lease("n1") })
      let seen = 0
      let told = () => {}
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          stream(`${LEASES}?watch=true&resourceVersion=${created.json.metadata.resourceVersion}`, {
            line: () => {
              seen++
              told()
            },
            end: () => undefined
          })
        ),
        (cut) => Effect.sync(cut)
      )
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
      let current = created.json as Lease
      /** Renews as a kubelet does: with what the last answer said. Ends when the answer and the event are there. */
      const renew = (round: number) =>
        Effect.callback<void>((resume) => {
          const renewTime = `2026-01-01T00:01:${String(10 + round)}.000000Z`
          const headers = { ...HEADERS }
          const body = JSON.stringify({ ...current, spec: { ...current.spec, renewTime } })
          const before = seen
          let isAnswered = false
          const settle = () => {
            if (isAnswered && seen > before) resume(Effect.void)
          }
          told = settle
          const sent = httpRequest({ port, method: "PUT", path: `${LEASES}/n1`, headers, agent }, (response) => {
            const pieces: Array<Buffer> = []
            response.on("data", (piece: Buffer) => pieces.push(piece))
            response.on("end", () => {
              current = JSON.parse(Buffer.concat(pieces).toString())
              isAnswered = response.statusCode === 200
              settle()
            })
          })
          sent.on("error", (error) => resume(Effect.die(error)))
          sent.end(body)
        })
      const session = new Session()
      session.connect()
      yield* Effect.addFinalizer(() => Effect.sync(() => session.disconnect()))
      yield* Effect.promise(() => session.post("Profiler.enable"))
      yield* Effect.promise(() => session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false }))
      const take = Effect.promise(() => session.post("Profiler.takePreciseCoverage"))
      for (let round = 0; round < ROUNDS; round++) yield* renew(round)
      const rounds: Array<ReadonlySet<string>> = []
      for (let round = ROUNDS; round < 2 * ROUNDS; round++) {
        yield* take
        yield* renew(round)
        rounds.push(filesOf((yield* take).result))
      }
      yield* Effect.promise(() => session.post("Profiler.stopPreciseCoverage"))
      // What a timer did meanwhile is not in every round, and what a busy machine put off is in some.
      const always = [...(rounds[0] ?? [])].filter((file) => rounds.every((files) => files.has(file)))
      const ever = new Set(rounds.flatMap((files) => [...files]))
      const named = documentedFiles()
      assert.strictEqual(new Set(named).size, named.length)
      assert.sameMembers(
        always.filter((file) => !named.includes(file)),
        [],
        "files that the page does not name"
      )
      assert.sameMembers(
        named.filter((file) => !ever.has(file)),
        [],
        "files that it does not pass"
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
