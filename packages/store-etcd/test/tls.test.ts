import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openPki } from "@rollcall/pki"
import { probe } from "@rollcall/store/testing/probe"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { openEtcdStore } from "../src/EtcdStore.ts"
import { noEtcd, startEtcd } from "../src/testing/index.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "etcd-tls-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

describe.skipIf(noEtcd !== undefined)("an etcd that asks for certificates", () => {
  it.live("is reached with one, and by its own authority only", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const nowMs = Date.now()
      const pki = yield* openPki({ folder, nowMs, names: ["127.0.0.1"] })
      const file = (name: string, text: string) => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      }
      const { url } = yield* startEtcd([
        "--client-cert-auth",
        "--trusted-ca-file",
        file("etcd-ca.pem", pki.authorityPem),
        "--cert-file",
        file("etcd.pem", pki.server.certificatePem),
        "--key-file",
        file("etcd-key.pem", pki.server.keyPem)
      ])
      const client = pki.clientCertificate({ commonName: "kube-apiserver-etcd-client" }, nowMs)
      const tls = { ca: pki.authorityPem, cert: client.certificatePem, key: client.keyPem }
      const open = (options: object) =>
        Effect.provide(openEtcdStore({ endpoints: [url], dialTimeoutMs: 1000, ...options }), layerWallClock())
      const store = probe(yield* open({ tls }))
      assert.isAbove(yield* store.write({ type: "put", key: "/a", value: 1 }), 0)
      assert.match((yield* Effect.flip(open({}))).message, /^etcd did not answer within 1s .*certificate/)
      assert.match(
        (yield* Effect.flip(open({ tls: { ca: pki.authorityPem } }))).message,
        /^etcd did not answer within 1s/
      )
    })
  )
})
