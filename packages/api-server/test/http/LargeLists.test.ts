import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { type RunningServer, startServer, wallClock } from "./startServer.ts"
import { head, openWire } from "./wire.ts"

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
const ADMIN = { Authorization: "Bearer admin" }
const COUNT = 500
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
const METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

const nameOf = (index: number): string => `c-${String(index).padStart(4, "0")}`

/** 500 objects of 20 KiB; `encoded` is called for each time that one is. */
const createConfigMaps = ({ server }: RunningServer, encoded: () => void = () => {}) => {
  const connection = server.connect({ user: "admin", groups: ["system:masters"], userAgent: "test" })
  const data = {
    toJSON: () => {
      encoded()
      return { text: "x".repeat(20 * 1024) }
    }
  }
  const create = (index: number) =>
    Effect.callback<void>((resume) => {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: nameOf(index), labels: labels() }, data }
      const request = { verb: "create", kind: "ConfigMap", namespace: "default" } as const
      connection.send({ ...request, object: object as unknown as KubeObject }, () => resume(Effect.void))
    })
  return Effect.forEach(
    Array.from({ length: COUNT }, (_, index) => index),
    create,
    { discard: true }
  )
}

/** So that bare metadata is large, too. */
const labels = () => Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`label-${index}`, "v".repeat(40)]))

const namesOf = ({
  items,
  rows
}: {
  readonly items?: Array<KubeObject>
  readonly rows?: Array<{ object: KubeObject }>
}) => (items ?? rows?.map(({ object }) => object) ?? []).map(({ metadata }) => metadata.name)

/** Without the ages in a table, which move on from one answer to the next. */
const withoutAges = (bytes: Buffer): string => bytes.toString().replace(/"(?:\d+[ms])+"/g, '""')

describe("a large list", () => {
  it.live("arrives complete in each of its forms, compressed or not", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      yield* createConfigMaps(apiServer)
      const names = Array.from({ length: COUNT }, (_, index) => nameOf(index))
      for (const accept of ["application/json", TABLE, METADATA]) {
        const plain = yield* apiServer.ask("GET", CONFIGMAPS, { headers: { accept } })
        assert.deepStrictEqual([plain.code, namesOf(plain.json)], [200, names])
        const packed = yield* apiServer.ask("GET", CONFIGMAPS, { headers: { accept, "accept-encoding": "gzip" } })
        assert.strictEqual(packed.headers["content-encoding"], "gzip")
        assert.isTrue(withoutAges(gunzipSync(packed.bytes)) === withoutAges(plain.bytes))
      }
      const deleted = yield* apiServer.ask("DELETE", CONFIGMAPS)
      assert.deepStrictEqual([deleted.code, namesOf(deleted.json)], [200, names])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is encoded as its client reads, and no further", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      let encoded = 0
      yield* createConfigMaps(apiServer, () => encoded++)
      encoded = 0
      const client = yield* openWire(apiServer.port)
      client.socket.pause()
      client.socket.write(head("GET", CONFIGMAPS, ADMIN))
      while (encoded === 0) yield* Effect.sleep("10 millis")
      yield* Effect.sleep("200 millis")
      // What the sockets' own buffers take, and a piece.
      assert.isBelow(encoded, COUNT)
      client.socket.resume()
      yield* client.until(/"c-0499"/)
      assert.strictEqual(encoded, COUNT)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is encoded once for all concurrent lists", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      let encoded = 0
      yield* createConfigMaps(apiServer, () => encoded++)
      encoded = 0
      yield* Effect.all([apiServer.ask("GET", CONFIGMAPS), apiServer.ask("GET", CONFIGMAPS)], { concurrency: 2 })
      assert.strictEqual(encoded, COUNT)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
