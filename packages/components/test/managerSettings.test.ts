import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { readFlags } from "@rollcall/flags"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Host } from "../src/index.ts"
import { controllerManagerProgram } from "../src/programs/controllerManager.ts"
import { managerSettingsOf } from "../src/programs/managerSettings.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-manager-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const host = Host.of({
  environment: {},
  hostname: "test",
  homeFolder: "/home",
  temporaryFolder: "/tmp",
  wallClockMs: Date.now,
  processId: 1,
  print: () => {},
  log: () => {},
  output: () => {},
  error: () => {},
  stdin: () => Promise.resolve("")
})

const kubeconfigWith = (cluster: object) => ({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:6443", ...cluster } }],
  contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  users: [{ name: "u", user: { token: "t" } }],
  "current-context": "c"
})

describe("the certificates with which pods verify the API server", () => {
  const rootCAOf = Effect.fnUntraced(function* (cluster: object, ...flags: ReadonlyArray<string>) {
    const home = yield* folder
    const file = join(home, "config")
    writeFileSync(file, JSON.stringify(kubeconfigWith(cluster)))
    const parsed = Result.getOrThrow(readFlags(controllerManagerProgram, ["--kubeconfig", file, ...flags]))
    return (yield* managerSettingsOf(parsed.values, parsed).pipe(Effect.provideService(Host, host))).rootCA
  })

  it.live("are those of the kubeconfig, which may have none", () =>
    Effect.gen(function* () {
      const pem = "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n"
      const data = { "certificate-authority-data": Buffer.from(pem).toString("base64") }
      assert.strictEqual(yield* rootCAOf(data), pem)
      assert.strictEqual(yield* rootCAOf({ "insecure-skip-tls-verify": true }), "")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
