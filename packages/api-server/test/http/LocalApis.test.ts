import { assert, describe, it } from "@effect/vitest"
import { notFound } from "@rollcall/api"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { LocalApi, LocalRequest } from "../../src/http/index.ts"
import { startServer, wallClock } from "./startServer.ts"

const ROOT = "/apis/metrics.k8s.io/v1beta1"

const makeApi = () => {
  const asked: Array<LocalRequest> = []
  const api: LocalApi = {
    group: "metrics.k8s.io",
    version: "v1beta1",
    groupPriority: 100,
    versionPriority: 100,
    resources: [
      { plural: "nodes", kind: "NodeMetrics", namespaced: false },
      { plural: "pods", kind: "PodMetrics", namespaced: true }
    ],
    read: (request, connection, reply) => {
      asked.push(request)
      if (request.name === "none") {
        reply(Result.fail(notFound({ group: "metrics.k8s.io", resource: "pods" }, "none")))
        return
      }
      connection.send({ verb: "list", kind: "Node" }, (answer) => {
        const items = Result.isSuccess(answer) ? (answer.success as { items: Array<unknown> }).items : []
        reply(Result.succeed({ kind: "NodeMetricsList", items }))
      })
    }
  }
  return { api, asked }
}

describe("an API whose objects are computed", () => {
  it.live("is in discovery, and answers who may read it", () =>
    Effect.gen(function* () {
      const { api, asked } = makeApi()
      const { ask } = yield* startServer({ localApis: [api] })
      yield* ask("POST", "/api/v1/nodes", { body: { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } } })
      const groups = (yield* ask("GET", "/apis")).json.groups as ReadonlyArray<{ readonly name: string }>
      assert.strictEqual(groups.at(-1)?.name, "metrics.k8s.io")
      const resources = (yield* ask("GET", ROOT)).json.resources as ReadonlyArray<{ readonly name: string }>
      assert.deepStrictEqual(
        resources.map(({ name }) => name),
        ["nodes", "pods"]
      )
      const list = yield* ask("GET", `${ROOT}/nodes?labelSelector=a%3Db`)
      assert.deepStrictEqual([list.code, list.json.items.length], [200, 1])
      yield* ask("GET", `${ROOT}/namespaces/ns/pods/p`)
      assert.deepStrictEqual(
        asked.map(({ labelSelector, name, namespace, resource }) => [resource, namespace, name, labelSelector]),
        [
          ["nodes", "", "", "a=b"],
          ["pods", "ns", "p", undefined]
        ]
      )
      const answer = (method: string, path: string, token = "admin") =>
        Effect.map(ask(method, `${ROOT}/${path}`, { token }), ({ code }) => code)
      assert.strictEqual(yield* answer("GET", "nodes", "alice"), 403)
      assert.strictEqual(yield* answer("GET", "namespaces/ns/pods/none"), 404)
      assert.strictEqual(yield* answer("DELETE", "nodes/n1"), 405)
      assert.strictEqual(yield* answer("GET", "nodes?watch=true"), 405)
      assert.strictEqual(yield* answer("GET", "others"), 404)
      assert.strictEqual(yield* answer("GET", "namespaces/ns/nodes"), 404)
      assert.strictEqual(asked.length, 3)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("gives way to an APIService of its name", () =>
    Effect.gen(function* () {
      const { api, asked } = makeApi()
      const { ask } = yield* startServer({ localApis: [api] })
      const spec = {
        group: "metrics.k8s.io",
        version: "v1beta1",
        service: { name: "metrics-server", namespace: "kube-system" },
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100
      }
      const created = yield* ask("POST", "/apis/apiregistration.k8s.io/v1/apiservices", {
        body: {
          apiVersion: "apiregistration.k8s.io/v1",
          kind: "APIService",
          metadata: { name: "v1beta1.metrics.k8s.io" },
          spec
        }
      })
      assert.strictEqual(created.code, 201)
      assert.strictEqual((yield* ask("GET", `${ROOT}/nodes`)).code, 503)
      assert.lengthOf(asked, 0)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
