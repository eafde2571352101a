import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Host, runComponent } from "../src/index.ts"
import type { ComponentName } from "../src/programs/index.ts"

const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "c", cluster: { server: "http://127.0.0.1:1" } }],
  users: [{ name: "u", user: { token: "t" } }],
  contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  "current-context": "x"
})

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-components-"))
    writeFileSync(join(folder, "kubeconfig"), kubeconfig)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A local port that is in use. */
const takenPort = Effect.map(
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer()
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) => Effect.sync(() => server.close())
  ),
  (server) => (server.address() as AddressInfo).port
)

const failureOf = (name: ComponentName, folder: string, ...args: ReadonlyArray<string>) =>
  runComponent(name, args).pipe(
    Effect.provideService(Host, {
      environment: {},
      hostname: "test",
      homeFolder: folder,
      temporaryFolder: folder,
      wallClockMs: Date.now,
      processId: process.pid,
      print: () => undefined,
      log: () => undefined,
      output: () => undefined,
      error: () => undefined,
      stdin: () => Promise.resolve("")
    }),
    Effect.flip,
    Effect.map(({ message }) => message)
  )

const listeners: ReadonlyArray<readonly [ComponentName, port: string, host: string]> = [
  ["up", "--port", "--bind-address"],
  ["apiserver", "--secure-port", "--bind-address"],
  ["controller-manager", "--secure-port", "--bind-address"],
  ["cloud-controller-manager", "--secure-port", "--bind-address"],
  ["scheduler", "--secure-port", "--bind-address"],
  ["kubelet", "--secure-port", "--bind-address"],
  ["kubelet", "--healthz-port", "--healthz-bind-address"]
]

describe("a program that cannot listen", () => {
  for (const [name, portFlag, hostFlag] of listeners) {
    it.live(
      `names the flags that choose another place: ${name}, ${portFlag}`,
      () =>
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const port = yield* takenPort
          const own = name === "up" || name === "apiserver" ? [] : ["--kubeconfig", join(folder, "kubeconfig")]
          const taken = yield* failureOf(name, folder, ...own, `${portFlag}=${port}`)
          assert.strictEqual(
            taken,
            `cannot listen on 127.0.0.1:${port}: another process listens there; stop it, or choose another port with ${portFlag}`
          )
          // An address for documentation, which no machine has: RFC 5737.
          const foreign = yield* failureOf(name, folder, ...own, `${portFlag}=${port}`, `${hostFlag}=192.0.2.77`)
          assert.strictEqual(
            foreign,
            `cannot listen on 192.0.2.77:${port}: this machine has no such address; choose another with ${hostFlag}`
          )
          const range = yield* failureOf(name, folder, ...own, `${portFlag}=70000`)
          assert.include(range, portFlag.slice(2).replace("healthz-port", "healthzPort"))
        }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
      60_000
    )
  }
})
