import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const asList = { headers: { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" } }

// As kube-apiserver v1.36.2 answers.
describe("an object asked for as a list", () => {
  it.live("is named by its internal type, which both groups of events share", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const event = { metadata: { name: "e" }, involvedObject: { namespace: "default" } }
      yield* ask("POST", "/api/v1/namespaces/default/events", { body: event })
      for (const path of ["/api/v1", "/apis/events.k8s.io/v1"]) {
        const { code, json } = yield* ask("GET", `${path}/namespaces/default/events/e`, asList)
        assert.strictEqual(code, 406)
        assert.strictEqual(
          json.message,
          "you requested PartialObjectMetadataList, but the requested object is not a list (*core.Event)"
        )
      }
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is named by the type of what is answered, which may be of another kind than the path's", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const messageOf = (method: string, path: string, body?: object, headers = asList.headers) =>
        Effect.map(ask(method, path, { headers, ...(body === undefined ? {} : { body }) }), ({ code, json }) => {
          assert.strictEqual(code, 406)
          return String(json.message).split("requested object is ")[1]
        })
      yield* ask("POST", "/apis/apps/v1/namespaces/default/replicasets", {
        body: {
          metadata: { name: "r" },
          spec: {
            selector: { matchLabels: { a: "b" } },
            template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
          }
        }
      })
      assert.strictEqual(
        yield* messageOf("GET", "/apis/apps/v1/namespaces/default/replicasets/r/scale"),
        "not a list (*autoscaling.Scale)"
      )
      assert.strictEqual(
        yield* messageOf("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
          spec: { nonResourceAttributes: { path: "/", verb: "get" } }
        }),
        "not a list (*authorization.SelfSubjectAccessReview)"
      )
      const asObject = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" }
      assert.strictEqual(
        yield* messageOf("GET", "/api/v1/componentstatuses", undefined, asObject),
        "a list (*core.ComponentStatusList)"
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("ends a watch at its first event, without it", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const path = "/api/v1/namespaces/default/configmaps"
      yield* ask("POST", path, { body: { metadata: { name: "c" } } })
      const startMs = Date.now()
      const { body, code } = yield* ask("GET", `${path}?watch=1&timeoutSeconds=20`, asList)
      assert.deepStrictEqual([code, body], [200, ""])
      assert.isBelow(Date.now() - startMs, 10_000)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is refused by its type where it is a log", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      yield* ask("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "default" } } })
      yield* ask("POST", "/api/v1/namespaces/default/pods", {
        body: {
          metadata: { name: "p" },
          spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] }
        }
      })
      const answers = (path: string, accept: string) =>
        Effect.map(
          ask("GET", `/api/v1/namespaces/default/pods/p/${path}`, { headers: { accept } }),
          ({ code, json }) => `${code} ${json.message}`
        )
      const typed = (as: string) => `application/json;as=${as};v=v1;g=meta.k8s.io`
      const types = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
      assert.strictEqual(
        yield* answers("log", typed("Table")),
        `406 only the following media types are accepted: ${types}`
      )
      assert.strictEqual(
        yield* answers("log", typed("PartialObjectMetadata")),
        "500 object does not implement the Object interfaces"
      )
      assert.strictEqual(
        yield* answers("log", typed("PartialObjectMetadataList")),
        "406 you requested PartialObjectMetadataList, but the requested object is not a list (*rest.LocationStreamer)"
      )
      // Connections do not negotiate.
      assert.strictEqual(yield* answers("exec", "image/png"), "400 pod p does not have a host assigned")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("an empty list asked for as a table", () => {
  it.live("has no rows at all if the kind has no columns of its own", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
      const rowsOf = (path: string) => Effect.map(ask("GET", path, { headers }), ({ json }) => json.rows)
      assert.isNull(yield* rowsOf("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"))
      assert.deepStrictEqual(yield* rowsOf("/api/v1/configmaps"), [])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
