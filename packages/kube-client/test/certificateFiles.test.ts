import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layerWallClock, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { makeCredentials } from "../src/auth/makeCredentials.ts"
import { plainConfig } from "./client.ts"
import { type KeyPair, pki } from "./pki.ts"

describe("a client certificate in files", () => {
  it.live("follows the files, and stays while they are missing or of different pairs", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-files-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const [cert, key] = [join(folder, "c"), join(folder, "k")]
      const write = (pair: KeyPair) => {
        writeFileSync(cert, pair.cert)
        writeFileSync(key, pair.key)
      }
      const timers = yield* Timers
      let nowMs = 0
      const config = { ...plainConfig("https://h"), auth: { type: "certificateFiles", cert, key } as const }
      const source = makeCredentials(config, { ...timers, now: () => nowMs }, {} as never)
      const used = () => {
        let seen: string | undefined
        source.use((credential) => {
          seen = Result.isSuccess(credential) ? credential.success.cert : "failed"
        })
        return seen
      }
      const { client, server } = pki()
      assert.isUndefined(used())
      write(client)
      nowMs = 60_000
      assert.strictEqual(used(), client.cert)
      write(server)
      nowMs = 119_999
      assert.strictEqual(used(), client.cert)
      nowMs = 120_000
      assert.strictEqual(used(), server.cert)
      write({ cert: client.cert, key: server.key })
      source.rejected({ headers: {} })
      assert.strictEqual(used(), server.cert)
      write(client)
      source.rejected({ headers: {} })
      assert.strictEqual(used(), client.cert)
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
