import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { assert, describe } from "vitest"
import { type Api, type Host, kubectl, type RawRequest } from "../src/index.ts"

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u", controller: true }
const podOf = (name: string) => ({
  metadata: { name, namespace: "default", uid: name, ownerReferences: [owner] },
  spec: { nodeName: "n1", containers: [] }
})
const forbidden = {
  apiVersion: "v1",
  kind: "Status",
  metadata: {},
  code: 403,
  reason: "Forbidden",
  message: "you may not"
}
const notFound = (name: string) => ({
  ...forbidden,
  code: 404,
  reason: "NotFound",
  message: `pods "${name}" not found`,
  details: { name }
})

type Answer = readonly [code: number, body: unknown]

/** A server with one node and pods, one on each page, with configurable responses. */
const server = (pods: ReadonlyArray<string>, special: (request: RawRequest) => Answer | undefined) => {
  const asked: Array<string> = []
  const answer = (request: RawRequest): Answer => {
    const { method, path, query = {} } = request
    if (path === "/api/v1/nodes/n1")
      return [200, { kind: "Node", metadata: { name: "n1" }, spec: { unschedulable: true } }]
    if (path === "/api/v1") {
      const evictions = { name: "pods/eviction", kind: "Eviction", group: "policy", version: "v1" }
      return [200, { resources: [{ name: "pods", kind: "Pod" }, evictions] }]
    }
    if (path === "/api/v1/pods") {
      const at = Number(query.continue ?? 0)
      const next = at + 1 < pods.length ? { continue: String(at + 1) } : {}
      return [200, { apiVersion: "v1", metadata: next, items: pods.slice(at, at + 1).map(podOf) }]
    }
    if (method === "GET") return [404, notFound(path.split("/").at(-1) ?? "")]
    return [201, { kind: "Status", metadata: {}, status: "Success" }]
  }
  const api: Api = {
    raw: (request) => {
      asked.push(`${request.method} ${request.path}${request.query?.limit ? ` limit=${request.query.limit}` : ""}`)
      const [code, body] = special(request) ?? answer(request)
      return Effect.succeed({ code, headers: {}, body: JSON.stringify(body) })
    }
  }
  return { api, asked }
}

const run = Effect.fnUntraced(function* (
  argv: ReadonlyArray<string>,
  pods: ReadonlyArray<string>,
  special: (request: RawRequest) => Answer | undefined = () => undefined
) {
  const { api, asked } = server(pods, special)
  const out = { stdout: "", stderr: "" }
  const host: Host = {
    api,
    namespace: "default",
    server: "http://localhost",
    stdout: (text) => {
      out.stdout += text
    },
    stderr: (text) => {
      out.stderr += text
    },
    readFiles: () => Effect.succeed(undefined),
    stdin: Effect.succeed("")
  }
  const exit = yield* kubectl(host, argv)
  return { ...out, exit, asked }
})

describe("kubectl drain", () => {
  it.effect("reads pods in pages, and uses discovery for evictions", () =>
    Effect.gen(function* () {
      const { asked, exit, stdout } = yield* run(["drain", "n1", "--chunk-size=1"], ["a", "b"])
      assert.strictEqual(exit, 0)
      assert.deepStrictEqual(
        stdout.split("\n").filter((line) => line.startsWith("evicting")),
        ["evicting pod default/a", "evicting pod default/b"]
      )
      assert.isTrue(stdout.endsWith("\nnode/n1 drained\n"))
      assert.deepStrictEqual(
        asked.filter((request) => !request.includes("/pods/") || request.startsWith("POST")).slice(1),
        [
          "GET /api/v1/pods limit=1",
          "GET /api/v1/pods limit=1",
          "GET /api/v1",
          "POST /api/v1/namespaces/default/pods/a/eviction",
          "POST /api/v1/namespaces/default/pods/b/eviction"
        ]
      )
    })
  )

  it.effect("deletes pods if the server does not support evictions", () =>
    Effect.gen(function* () {
      const old = ({ path }: RawRequest): Answer | undefined =>
        path === "/api/v1" ? [200, { resources: [] }] : undefined
      const { asked, stdout } = yield* run(["drain", "n1"], ["a"], old)
      assert.strictEqual(stdout, "node/n1 already cordoned\npod/a deleted\nnode/n1 drained\n")
      assert.include(asked, "DELETE /api/v1/namespaces/default/pods/a")
    })
  )

  it.effect("ends with the server's message if a deletion is refused, and lists the remaining pods", () =>
    Effect.gen(function* () {
      const closed = ({ method }: RawRequest): Answer | undefined =>
        method === "DELETE" ? [403, forbidden] : undefined
      const { exit, stderr } = yield* run(["drain", "n1", "--disable-eviction"], ["a"], closed)
      assert.strictEqual(exit, 1)
      assert.strictEqual(
        stderr,
        `There are pending pods in node "n1" when an error occurred: you may not
pod/a
error: unable to drain node "n1" due to error: you may not, continuing command...
There are pending nodes to be drained:
 n1
Error from server (Forbidden): you may not
`
      )
    })
  )

  it.effect("reports why it could not list the remaining pods", () =>
    Effect.gen(function* () {
      let lists = 0
      const failing = ({ method, path }: RawRequest): Answer | undefined => {
        if (method === "POST") return [403, forbidden]
        return path === "/api/v1/pods" && ++lists > 1 ? [403, forbidden] : undefined
      }
      const { stderr } = yield* run(["drain", "n1"], ["a"], failing)
      const why = 'error when evicting pods/"a" -n "default": you may not'
      assert.strictEqual(
        stderr,
        `Following errors occurred while getting the list of pods to delete:
you may noterror: unable to drain node "n1" due to error: ${why}, continuing command...
There are pending nodes to be drained:
 n1
${why}
`
      )
    })
  )

  it.effect("prints kubectl's line for a dry run with deletions", () =>
    Effect.gen(function* () {
      const { asked, stdout } = yield* run(["drain", "n1", "--dry-run=client", "--disable-eviction"], ["a"])
      assert.strictEqual(
        stdout,
        "node/n1 already cordoned (dry run)\nevicting pod default/a (dry run)\nnode/n1 drained (dry run)\n"
      )
      assert.isTrue(asked.every((request) => request.startsWith("GET")))
    })
  )

  it.effect("accepts nodes with their type, and no other type", () =>
    Effect.gen(function* () {
      const discovery = ({ path }: RawRequest): Answer | undefined => {
        const resource = (plural: string, kind: string, shortNames: ReadonlyArray<string>) => ({
          resource: plural,
          responseKind: { kind },
          scope: "Cluster",
          shortNames
        })
        const resources = [resource("nodes", "Node", ["no"]), resource("namespaces", "Namespace", ["ns"])]
        if (path === "/apis") return [200, { kind: "APIGroupDiscoveryList", items: [] }]
        if (path === "/api/v1/namespaces/x") return [200, { kind: "Namespace", metadata: { name: "x" } }]
        return path === "/api"
          ? [
              200,
              { kind: "APIGroupDiscoveryList", items: [{ metadata: {}, versions: [{ version: "v1", resources }] }] }
            ]
          : undefined
      }
      assert.strictEqual(
        (yield* run(["drain", "no/n1"], [], discovery)).stdout,
        "node/n1 already cordoned\nnode/n1 drained\n"
      )
      const mixed = yield* run(["drain", "n1", "ns/x"], [], discovery)
      assert.strictEqual(mixed.stderr, "error: you may only specify a single resource type\n")
      const wrong = yield* run(["cordon", "ns/x"], [], discovery)
      assert.strictEqual(wrong.stderr, 'error: expected resource of type node, got {"" "v1" "namespaces"}\n')
    })
  )
})
