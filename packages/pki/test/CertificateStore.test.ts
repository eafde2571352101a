import { mkdtempSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openCertificateStore, openPki } from "../src/index.ts"

const NOW = Date.UTC(2026, 0, 1)

describe("openCertificateStore", () => {
  it.effect("keeps each certificate with its key, and links to the last one", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-store-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const { clientCertificate } = yield* openPki({ folder: join(folder, "pki"), nowMs: NOW })
      const store = openCertificateStore(join(folder, "k"), "kubelet-client")
      assert.isUndefined(yield* store.current)
      const [one, two] = ["a", "b"].map((commonName) => clientCertificate({ commonName }, NOW))
      assert.isDefined(one)
      assert.isDefined(two)
      yield* store.update(one, NOW)
      yield* store.update(two, NOW + 1000)
      const { certificatePem, keyPem, notBeforeMs } = (yield* store.current) ?? {}
      assert.deepStrictEqual({ certificatePem, keyPem, notBeforeMs }, { ...two, notBeforeMs: NOW - 300_000 })
      const file = join(folder, "k", "kubelet-client-2026-01-01-00-00-01.pem")
      assert.strictEqual(readlinkSync(store.currentPath), file)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      writeFileSync(file, "damaged")
      assert.isUndefined(yield* store.current)
    }).pipe(Effect.scoped)
  )

  it.effect("does not replace a file that is no link", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "rollcall-store-"))
      const { clientCertificate } = yield* openPki({ folder: join(folder, "pki"), nowMs: NOW })
      const store = openCertificateStore(folder, "kubelet-client")
      writeFileSync(store.currentPath, "own")
      const failed = yield* Effect.flip(store.update(clientCertificate({ commonName: "a" }, NOW), NOW))
      assert.match(failed.message, /is not a symbolic link/)
      rmSync(folder, { recursive: true, force: true })
    })
  )
})
