import { assert, describe, it } from "@effect/vitest"
import { wireTypeOfGvk } from "@rollcall/api/wire"
import { openEnvelope, readRaw, writeEnvelope } from "@rollcall/protobuf"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { defineCustom } from "../../src/core/registry/defineCustom.ts"
import { type RunningServer, startServer, wallClock } from "./startServer.ts"
import { head, openWire } from "./wire.ts"

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
const DIALS = "/apis/rollcall.example.com/v1/namespaces/default/dials"
const acceptAs = (kind: string, version = "v1") =>
  `application/vnd.kubernetes.protobuf;as=${kind};g=meta.k8s.io;v=${version}`

const read = (bytes: Uint8Array): { readonly [name: string]: unknown } => {
  const { apiVersion, kind, raw } = Result.getOrThrow(openEnvelope(bytes))
  const [group = "", version] = apiVersion.split("/")
  const type = wireTypeOfGvk(version === undefined ? { group: "", version: group, kind } : { group, version, kind })
  if (type === undefined) throw new Error(kind)
  return { apiVersion, kind, ...Result.getOrThrow(readRaw(type, raw)) }
}

/** The frames of a watch: type and object. Of WatchEvent: 1 is the type, 2 a RawExtension with the object at 1. */
const events = (stream: Buffer): ReadonlyArray<readonly [string, ReturnType<typeof read>]> => {
  const found: Array<readonly [string, ReturnType<typeof read>]> = []
  for (let at = 0; at + 4 <= stream.length; ) {
    const frame = stream.subarray(at + 4, at + 4 + stream.readUInt32BE(at))
    at += 4 + frame.length
    const type = frame.subarray(2, 2 + (frame[1] as number)).toString()
    found.push([type, read(frame.subarray(frame.indexOf("k8s\0")))])
  }
  return found
}

const create = ({ ask }: RunningServer, path: string, object: object) => ask("POST", path, { body: object })

const dial = {
  kind: "Dial",
  group: "rollcall.example.com",
  version: "v1",
  plural: "dials",
  singular: "dial",
  shortNames: [],
  namespaced: true
}

/** What a watch with this Accept sends until it times out. */
const watchFrames = ({ port }: RunningServer, path: string, accept: string) =>
  Effect.gen(function* () {
    const query =
      "watch=1&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
    const get = head("GET", `${path}?${query}`, { Authorization: "Bearer admin", Accept: accept, Connection: "close" })
    const { closed, received } = yield* openWire(port, get)
    yield* closed
    const answer = Buffer.from(received(), "latin1")
    const start = answer.indexOf("\r\n\r\n") + 4
    const chunks: Array<Buffer> = []
    for (let at = start; ; ) {
      const end = answer.indexOf("\r\n", at)
      const size = Number.parseInt(answer.subarray(at, end).toString(), 16)
      if (!(size > 0)) break
      chunks.push(answer.subarray(end + 2, end + 2 + size))
      at = end + 2 + size + 2
    }
    return { head: answer.subarray(0, start).toString(), events: events(Buffer.concat(chunks)) }
  })

describe("in protobuf, PartialObjectMetadata", () => {
  it.live("is watched, of built-in kinds and of custom resources, as a controller manager does", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      apiServer.server.registry.add(defineCustom(dial))
      yield* create(apiServer, CONFIGMAPS, { metadata: { name: "a", labels: { x: "y" } }, data: { k: "v" } })
      yield* create(apiServer, DIALS, { apiVersion: "rollcall.example.com/v1", kind: "Dial", metadata: { name: "d" } })
      for (const [path, name] of [
        [CONFIGMAPS, "a"],
        [DIALS, "d"]
      ] as const) {
        const { events: told, head: answered } = yield* watchFrames(apiServer, path, acceptAs("PartialObjectMetadata"))
        assert.match(answered, /^HTTP\/1\.1 200 [\s\S]*application\/vnd.kubernetes.protobuf;stream=watch/)
        assert.deepStrictEqual(
          told.map(([type, { apiVersion, kind }]) => [type, apiVersion, kind]),
          [
            ["ADDED", "meta.k8s.io/v1", "PartialObjectMetadata"],
            ["BOOKMARK", "meta.k8s.io/v1", "PartialObjectMetadata"]
          ]
        )
        assert.include(told[0]?.[1].metadata, { name })
        assert.notProperty(told[0]?.[1], "data")
      }
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is returned by get and list, in both versions", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      yield* create(apiServer, CONFIGMAPS, { metadata: { name: "a" }, data: { k: "v" } })
      const ask = (path: string, accept: string) => apiServer.ask("GET", path, { headers: { accept } })
      const one = read((yield* ask(`${CONFIGMAPS}/a`, acceptAs("PartialObjectMetadata"))).bytes)
      assert.deepStrictEqual(
        [one.kind, (one.metadata as { readonly name: string }).name],
        ["PartialObjectMetadata", "a"]
      )
      for (const version of ["v1", "v1beta1"]) {
        const list = read((yield* ask(CONFIGMAPS, acceptAs("PartialObjectMetadataList", version))).bytes)
        assert.strictEqual(list.apiVersion, `meta.k8s.io/${version}`)
        const items = list.items as ReadonlyArray<{ readonly metadata: { readonly name: string } }>
        assert.deepStrictEqual(
          items.map(({ metadata }) => metadata.name),
          ["a"]
        )
        assert.property(list.metadata, "resourceVersion")
      }
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("has no table, and is the only form of custom resources", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      apiServer.server.registry.add(defineCustom(dial))
      const ask = (path: string, accept: string) => apiServer.ask("GET", path, { headers: { accept } })
      assert.strictEqual((yield* ask(CONFIGMAPS, acceptAs("Table"))).code, 406)
      assert.strictEqual((yield* ask(`${CONFIGMAPS}?watch=1`, acceptAs("Table"))).code, 406)
      const protobuf = "application/vnd.kubernetes.protobuf"
      assert.strictEqual((yield* ask(DIALS, protobuf)).code, 406)
      assert.strictEqual((yield* ask(`${DIALS}?watch=1`, protobuf)).code, 406)
      assert.strictEqual((yield* ask(DIALS, `${protobuf},application/json`)).json.kind, "DialList")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("bytes that are no UTF-8", () => {
  it.live("are shown as errors show them, and are U+FFFD in what is stored", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const headers = { "content-type": "application/vnd.kubernetes.protobuf" }
      const post = (object: object) => {
        const text = Buffer.from(writeEnvelope({ apiVersion: "v1", kind: "ConfigMap", ...object }) ?? []).toString(
          "latin1"
        )
        return ask("POST", CONFIGMAPS, { headers, body: Buffer.from(text.replace("*", "\xe9"), "latin1") })
      }
      const refused = yield* post({ metadata: { name: "a", labels: { k: "v*" } } })
      assert.match(refused.json.message, /metadata\.labels: Invalid value: "v\\xe9": /)
      const created = yield* post({ metadata: { name: "a", annotations: { k: "v*" } }, data: { k: "v" } })
      assert.strictEqual(created.json.metadata.annotations.k, "v\ufffd")
      const { body, json } = yield* ask("GET", `${CONFIGMAPS}/a`)
      assert.strictEqual(json.metadata.annotations.k, "v\ufffd")
      assert.notInclude(body, "\\ud")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
