import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type etcdFlags, etcdOf } from "../src/apiserver/etcdFlags.ts"

const given = (values: Partial<Record<keyof typeof etcdFlags, unknown>>) =>
  etcdOf({
    "etcd-servers": [],
    "etcd-prefix": "/registry",
    "etcd-cafile": "",
    "etcd-certfile": "",
    "etcd-keyfile": "",
    "etcd-compaction-interval": 300_000,
    ...values
  } as Parameters<typeof etcdOf>[0])

const SERVERS = ["https://10.0.0.1:2379", "http://[::1]:2379"]

describe("the flags of etcd", () => {
  it.effect("have no effect without servers", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* given({ "etcd-prefix": "/other" }), undefined)
    })
  )

  it.effect("are the servers, the prefix and the texts of the files", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "etcd-flags-"))
      const file = (name: string) => {
        writeFileSync(join(folder, name), `text of ${name}`)
        return join(folder, name)
      }
      const settings = yield* given({
        "etcd-servers": SERVERS,
        "etcd-prefix": "/rollcall/",
        "etcd-cafile": file("ca"),
        "etcd-certfile": file("cert"),
        "etcd-keyfile": file("key")
      })
      assert.deepStrictEqual(settings, {
        servers: SERVERS,
        prefix: "/rollcall",
        tls: { ca: "text of ca", cert: "text of cert", key: "text of key" },
        compactionIntervalMs: 300_000
      })
    })
  )

  it.effect("are refused with what to do", () =>
    Effect.gen(function* () {
      const refused = (values: Parameters<typeof given>[0]) =>
        Effect.map(Effect.flip(given(values)), ({ message }) => message)
      for (const server of ["10.0.0.1:2379", "ftp://10.0.0.1", ""]) {
        assert.include(yield* refused({ "etcd-servers": [server] }), "expected a URL such as https://10.0.0.1:2379")
      }
      const half = { "etcd-servers": SERVERS, "etcd-certfile": "/cert" }
      assert.include(yield* refused(half), "--etcd-keyfile: a certificate needs its key: set both flags")
      assert.include(yield* refused({ "etcd-servers": SERVERS, "etcd-cafile": "/nowhere/ca" }), "/nowhere/ca")
    })
  )
})
