import { assert, describe, it } from "@effect/vitest"
import type { ApiRequest } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { send, withServer } from "./client.ts"
import { respondWithJson } from "./ScriptedServer.ts"

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }

interface Case {
  readonly request: ApiRequest
  readonly sent: string
  readonly type?: string
  readonly body?: unknown
}

const cases: ReadonlyArray<Case> = [
  {
    request: { verb: "get", kind: "Node", name: "n 1", resourceVersion: "0" },
    sent: "GET /api/v1/nodes/n%201?resourceVersion=0"
  },
  {
    request: {
      verb: "list",
      kind: "Pod",
      fieldSelector: "spec.nodeName=n1",
      labelSelector: "a in (b,c)",
      limit: 500,
      continue: "x=",
      resourceVersion: "7",
      resourceVersionMatch: "Exact"
    },
    sent: "GET /api/v1/pods?labelSelector=a%20in%20(b%2Cc)&fieldSelector=spec.nodeName%3Dn1&limit=500&continue=x%3D&resourceVersion=7&resourceVersionMatch=Exact"
  },
  {
    request: { verb: "list", kind: "Lease", namespace: "ns" },
    sent: "GET /apis/coordination.k8s.io/v1/namespaces/ns/leases"
  },
  {
    request: {
      verb: "create",
      kind: "Node",
      object: node,
      fieldManager: "me",
      dryRun: true,
      fieldValidation: "Strict"
    },
    sent: "POST /api/v1/nodes?fieldManager=me&fieldValidation=Strict&dryRun=All",
    type: "application/json",
    body: node
  },
  {
    request: {
      verb: "create",
      kind: "Pod",
      namespace: "ns",
      name: "p",
      subresource: "eviction",
      object: { kind: "Eviction" }
    },
    sent: "POST /api/v1/namespaces/ns/pods/p/eviction",
    type: "application/json",
    body: { kind: "Eviction" }
  },
  {
    request: { verb: "update", kind: "Node", name: "n1", subresource: "status", object: node },
    sent: "PUT /api/v1/nodes/n1/status",
    type: "application/json",
    body: node
  },
  {
    request: {
      verb: "patch",
      kind: "Deployment",
      namespace: "ns",
      name: "d",
      subresource: "scale",
      patchType: "merge",
      body: {}
    },
    sent: "PATCH /apis/apps/v1/namespaces/ns/deployments/d/scale",
    type: "application/merge-patch+json",
    body: {}
  },
  {
    request: { verb: "patch", kind: "Node", name: "n", patchType: "json", body: [] },
    sent: "PATCH /api/v1/nodes/n",
    type: "application/json-patch+json",
    body: []
  },
  {
    request: { verb: "patch", kind: "Node", name: "n", patchType: "strategic", body: {} },
    sent: "PATCH /api/v1/nodes/n",
    type: "application/strategic-merge-patch+json",
    body: {}
  },
  {
    request: {
      verb: "patch",
      kind: "Node",
      name: "n",
      patchType: "apply",
      body: node,
      fieldManager: "me",
      force: true
    },
    sent: "PATCH /api/v1/nodes/n?fieldManager=me&force=true",
    type: "application/apply-patch+yaml",
    body: node
  },
  { request: { verb: "delete", kind: "Node", name: "n" }, sent: "DELETE /api/v1/nodes/n" },
  {
    request: { verb: "delete", kind: "Pod", namespace: "ns", name: "p", options: { gracePeriodSeconds: 0 } },
    sent: "DELETE /api/v1/namespaces/ns/pods/p",
    type: "application/json",
    body: { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 }
  },
  {
    request: {
      verb: "deletecollection",
      kind: "Pod",
      namespace: "ns",
      labelSelector: "a",
      options: { propagationPolicy: "Orphan" }
    },
    sent: "DELETE /api/v1/namespaces/ns/pods?labelSelector=a",
    type: "application/json",
    body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Orphan" }
  }
]

describe("requests", () => {
  it.live("send every verb as client-go does", () =>
    withServer(
      (_, response) => respondWithJson(response, 200, node),
      ({ client, server }) =>
        Effect.gen(function* () {
          for (const { body, request, sent, type } of cases) {
            assert.deepStrictEqual(yield* send(client, request), Result.succeed(node))
            const seen = server.seen.at(-1)
            assert.strictEqual(`${seen?.method} ${seen?.url}`, sent)
            assert.strictEqual(seen?.headers["content-type"], type)
            assert.strictEqual(seen?.headers.accept, "application/json")
            assert.strictEqual(seen?.headers["user-agent"], "test/v1")
            assert.strictEqual(seen?.body, body === undefined ? "" : JSON.stringify(body))
          }
        })
    )
  )

  it.live("find unmodelled kinds by discovery, once a group version", () =>
    withServer(
      ({ url }, response) => {
        if (url === "/apis/example.com/v1") {
          const resources = [
            { name: "dials", kind: "Dial", namespaced: true },
            { name: "dials/status", kind: "Dial", namespaced: true },
            { name: "knobs", kind: "Knob", namespaced: false }
          ]
          respondWithJson(response, 200, { kind: "APIResourceList", groupVersion: "example.com/v1", resources })
        } else if (url.startsWith("/apis/gone.io/")) response.writeHead(404).end("404 page not found")
        else respondWithJson(response, 200, { apiVersion: "example.com/v1", kind: "Dial", metadata: { name: "d" } })
      },
      ({ client, server }) =>
        Effect.gen(function* () {
          yield* send(client, { verb: "get", kind: "Dial.example.com/v1", namespace: "ns", name: "d" })
          yield* send(client, { verb: "get", kind: "Knob.example.com/v1", namespace: "ns", name: "k" })
          const wrong = yield* send(client, { verb: "get", kind: "Lever.example.com/v1", name: "k" })
          const gone = yield* send(client, { verb: "list", kind: "Dial.gone.io/v1" })
          assert.deepStrictEqual(
            server.seen.map(({ url }) => url),
            [
              "/apis/example.com/v1",
              "/apis/example.com/v1/namespaces/ns/dials/d",
              "/apis/example.com/v1/knobs/k",
              "/apis/example.com/v1",
              "/apis/gone.io/v1"
            ]
          )
          assert.strictEqual(
            Result.isFailure(wrong) && wrong.failure.message,
            'no matches for kind "Lever" in version "example.com/v1"'
          )
          assert.strictEqual(
            Result.isFailure(gone) && gone.failure.message,
            'no matches for kind "Dial" in version "gone.io/v1"'
          )
        })
    )
  )

  it.live("send raw requests unchanged, and return the raw response", () =>
    withServer(
      (_, response) => response.writeHead(404, { "content-type": "text/plain", "x-a": "1" }).end("404 page not found"),
      ({ client, server }) =>
        Effect.gen(function* () {
          const result = yield* Effect.callback<unknown>((resume) => {
            const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" }
            const query = { limit: "5", sort: ["a", "b"] }
            client.raw({ method: "GET", path: "/x?y=1", query, headers }, (answer) =>
              resume(Effect.succeed(Result.isSuccess(answer) ? answer.success : answer.failure))
            )
          })
          assert.containSubset(result, { code: 404, body: "404 page not found", headers: { "x-a": "1" } })
          assert.strictEqual(server.seen[0]?.url, "/x?y=1&limit=5&sort=a&sort=b")
          assert.include(server.seen[0]?.headers.accept ?? "", "as=Table")
        })
    )
  )
})
