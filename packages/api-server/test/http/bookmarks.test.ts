import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const query =
  "watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
const accept = (as: string) => ({ headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` } })
const apps = "/apis/apps/v1/namespaces/default"

// As kube-apiserver v1.36.2 answers.
describe("a bookmark", () => {
  it.live("is the empty object of its kind, which a printer reads without defaults", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const bookmark = (path: string, as?: string) =>
        Effect.map(ask("GET", `${path}?${query}&labelSelector=none`, as === undefined ? {} : accept(as)), ({ body }) =>
          JSON.parse(body)
        )
      const cells = (path: string) => Effect.map(bookmark(path, "Table"), ({ object }) => object.rows[0].cells)
      const core = "/api/v1/namespaces/default"
      const [service, deployment, controller, range, priority, set, revision, request] = yield* Effect.all(
        [
          cells(`${core}/services`),
          cells(`${apps}/deployments`),
          cells(`${core}/replicationcontrollers`),
          cells(`${core}/limitranges`),
          cells("/apis/scheduling.k8s.io/v1/priorityclasses"),
          bookmark(`${apps}/daemonsets`),
          bookmark(`${apps}/controllerrevisions`),
          bookmark("/apis/certificates.k8s.io/v1/certificatesigningrequests")
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(service, ["", "", "<none>", "<unknown>", "<none>", "<unknown>", "<none>"])
      assert.deepStrictEqual(deployment, ["", "0/0", 0, 0, "<unknown>", "", "", ""])
      assert.deepStrictEqual(controller, ["", 0, 0, 0, "<unknown>", "", "", "<none>"])
      assert.deepStrictEqual(range, ["", "0001-01-01T00:00:00Z"])
      assert.deepStrictEqual(priority, ["", 0, false, "<unknown>", ""])
      assert.strictEqual(set.object.metadata.annotations["deprecated.daemonset.template.generation"], "0")
      assert.isNull(revision.object.data)
      assert.deepStrictEqual(request.object.spec, { request: null, signerName: "" })
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("metadata of objects", () => {
  it.live("is that of their internal form, and has no form of a list in a watch", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
      const body = { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } }
      yield* ask("POST", `${apps}/daemonsets`, { body })
      const { json } = yield* ask("GET", `${apps}/daemonsets/d`, accept("PartialObjectMetadata"))
      assert.strictEqual(json.kind, "PartialObjectMetadata")
      assert.notProperty(json.metadata, "annotations")
      // Its first event ends it, long before its own end.
      const watch = yield* ask(
        "GET",
        `${apps}/daemonsets?watch=1&timeoutSeconds=9`,
        accept("PartialObjectMetadataList")
      )
      assert.deepStrictEqual([watch.code, watch.body], [200, ""])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
