import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { parseDocuments } from "@rollcall/input/documents"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { Host, type HostShape, runComponent } from "../src/index.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-shared-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The kubeconfig entries that kubeadm writes. */
const production = {
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "kubernetes", cluster: { server: "https://prod.example.com:6443" } }],
  contexts: [{ name: "kubernetes-admin@kubernetes", context: { cluster: "kubernetes", user: "kubernetes-admin" } }],
  users: [{ name: "kubernetes-admin", user: { "client-key-data": "cHJvZA==" } }],
  "current-context": "kubernetes-admin@kubernetes"
}

describe("rollcall up --merge-kubeconfig", () => {
  it.live(
    "leaves the production credential alone, and takes its own entries out when it ends",
    () =>
      Effect.gen(function* () {
        const home = yield* temporaryFolder
        const file = join(home, ".kube", "config")
        mkdirSync(join(home, ".kube"))
        writeFileSync(file, JSON.stringify(production))
        const read = () =>
          Result.getOrThrow(parseDocuments(file, readFileSync(file, "utf8")))[0]?.value as typeof production
        const started = yield* Deferred.make<string>()
        const host: HostShape = {
          environment: {},
          hostname: "test",
          homeFolder: home,
          temporaryFolder: home,
          processId: process.pid,
          wallClockMs: Date.now,
          print: (line) => {
            if (line.includes("current context")) Deferred.doneUnsafe(started, Effect.succeed(line))
          },
          log: () => undefined,
          output: () => undefined,
          error: () => undefined,
          stdin: () => Promise.resolve("")
        }
        const up = (...args: ReadonlyArray<string>) =>
          runComponent("up", ["--nodes=1", "--port=0", "--merge-kubeconfig", ...args]).pipe(
            Effect.provideService(Host, host),
            Effect.provide(NodeServices.layer)
          )
        const refused = yield* Effect.flip(up("--name", "kubernetes"))
        assert.include(String(refused), "clusters/kubernetes, which is not Rollcall's")
        assert.include(String(yield* Effect.flip(up("--name", "../x"))), "--name")
        assert.deepStrictEqual(read(), production)
        const running = yield* Effect.forkScoped(up())
        assert.strictEqual(yield* Deferred.await(started), `rollcall is the current context of ${file} until this ends`)
        const during = read()
        assert.deepStrictEqual(during.users[0], production.users[0])
        assert.deepInclude(during.contexts[1]?.context, { cluster: "rollcall", user: "rollcall" })
        assert.strictEqual(during["current-context"], "rollcall")
        yield* Fiber.interrupt(running)
        assert.deepStrictEqual(read(), production)
      }),
    60_000
  )
})
