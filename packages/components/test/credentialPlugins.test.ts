import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import type { CredentialProvider, PluginExit } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterAll, assert, describe, it } from "vitest"
import { credentialPlugins } from "../src/credentials/credentialPlugins.ts"
import { execPluginIn } from "../src/credentials/execPlugin.ts"

const folder = mkdtempSync(join(tmpdir(), "rollcall-plugins-"))
afterAll(() => rmSync(folder, { recursive: true }))

const program = (name: string, script: string) => {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
}

const provider = (name: string): CredentialProvider => ({
  name,
  matchImages: [],
  defaultCacheMs: 0,
  apiVersion: "",
  args: ["one", "two"],
  env: [{ name: "GREETING", value: "hello" }]
})

const run = (name: string, timeoutMs = 10_000): Promise<PluginExit> =>
  new Promise((resolve) => execPluginIn(folder, { timeoutMs, maxOutput: 1_000 })(provider(name), "request", resolve))

describe("a credential plugin's process", () => {
  it("gets its arguments, its variables and the request", async () => {
    program("echo", 'echo "$GREETING $1 $2 $(cat)"')
    assert.deepStrictEqual(await run("echo"), Result.succeed("hello one two request\n"))
  })

  it("tells how it has failed", async () => {
    program("fail", "echo sorry >&2; exit 3")
    program("much", "head -c 5000 /dev/zero; sleep 60")
    program("slow", "sleep 60")
    // The child of a child keeps the output open.
    program("left", "sleep 60 & exit 0")
    const failures = await Promise.all([run("fail"), run("much"), run("slow", 200), run("left", 200), run("absent")])
    assert.deepStrictEqual(failures.map((exit) => (Result.isFailure(exit) ? exit.failure : exit)).slice(0, 4), [
      { error: "exit status 3", stderr: "sorry\n" },
      { error: "more than 1000 bytes of output", stderr: "" },
      { error: "context deadline exceeded", stderr: "" },
      { error: "context deadline exceeded", stderr: "" }
    ])
    assert.isTrue(Result.isFailure(failures[4] ?? Result.succeed("")))
  })

  it("tells the beginning of long errors", async () => {
    program("long", "{ echo denied; head -c 60000 /dev/zero; } >&2; exit 1")
    const exit = await run("long")
    assert.match(Result.isFailure(exit) ? exit.failure.stderr : "", /^denied\n\0{16377}$/)
  })

  it("fails, and throws nothing, with an argument that no process can have", async () => {
    const asked = { ...provider("echo"), args: ["a\0b"] }
    const exit = await new Promise<PluginExit>((resolve) => execPluginIn(folder)(asked, "request", resolve))
    assert.isTrue(Result.isFailure(exit))
  })
})

const config = (name: string) =>
  JSON.stringify({
    apiVersion: "kubelet.config.k8s.io/v1",
    kind: "CredentialProviderConfig",
    providers: [
      {
        name,
        matchImages: ["*.example.com"],
        defaultCacheDuration: "1m",
        apiVersion: "credentialprovider.kubelet.k8s.io/v1"
      }
    ]
  })

const start = (file: string, bin = folder) =>
  credentialPlugins({ config: file, folder: bin, allowsTokens: true }).pipe(
    Effect.catch((error) => Effect.succeed(error.problems.map(({ message }) => message).join())),
    Effect.provide(NodeServices.layer),
    Effect.runPromise
  )

describe("--image-credential-provider-config", () => {
  it("is a file, or a folder of files in lexical order", async () => {
    program("a", "true")
    program("b", "true")
    const files = join(folder, "conf")
    mkdirSync(files)
    writeFileSync(join(files, "2.json"), config("a"))
    writeFileSync(join(files, "10.yaml"), config("b"))
    writeFileSync(join(files, "notes.txt"), "nothing")
    const all = await start(files)
    assert.isObject(all)
    if (typeof all !== "object") return
    assert.deepStrictEqual(
      all.setting.providers.map(({ name }) => name),
      ["b", "a"]
    )
    assert.match(all.hash, /^sha256:[0-9a-f]{64}$/)
  })

  it("is refused if it, the folder of plugins or one of them is not there", async () => {
    const file = join(folder, "one.yaml")
    writeFileSync(file, config("absent"))
    const absent = join(folder, "nowhere")
    assert.strictEqual(await start(file, absent), `plugin binary directory ${absent} did not exist`)
    assert.strictEqual(await start(file), `plugin binary executable ${join(folder, "absent")} did not exist`)
    assert.strictEqual(await start(""), "credential provider config path is empty")
    assert.match(String(await start(absent)), /^unable to access path/)
    assert.isUndefined(await start("", ""))
  })
})
