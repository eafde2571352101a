import { it } from "@effect/vitest"
import type { Node } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { assert, describe } from "vitest"
import { type Host, kubectl, type RawRequest } from "../src/index.ts"

const nodes: ReadonlyArray<Node> = ["a", "b"].map((name) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, uid: `uid-${name}` },
  spec: name === "a" ? { taints: [{ key: "old", value: "v", effect: "NoSchedule" }] } : {}
}))

const discovery = {
  kind: "APIGroupDiscoveryList",
  items: [
    {
      metadata: {},
      versions: [
        {
          version: "v1",
          resources: [
            { resource: "nodes", responseKind: { kind: "Node" }, scope: "Cluster", shortNames: ["no"] },
            { resource: "events", responseKind: { kind: "Event" }, scope: "Namespaced" }
          ]
        }
      ]
    }
  ]
}

const event = (reason: string, lastTimestamp: string) => ({
  metadata: { name: reason, namespace: "default" },
  reason,
  type: "Normal",
  message: "m",
  lastTimestamp,
  firstTimestamp: lastTimestamp,
  source: { component: "c" }
})

/** Events of controllers have the node's uid, events of its kubelet have its name as uid. */
const eventsOf = ({ query = {} }: RawRequest) => {
  const fields = String(query.fieldSelector)
  if (fields.includes("involvedObject.uid=uid-a")) return [event("Registered", "2026-01-01T00:00:02Z")]
  return fields.includes("involvedObject.uid=a") ? [event("Starting", "2026-01-01T00:00:01Z")] : []
}

const run = Effect.fnUntraced(function* (...argv: ReadonlyArray<string>) {
  const written = { stdout: "", stderr: "" }
  const answer = (request: RawRequest): readonly [number, unknown] => {
    const { path } = request
    if (path === "/api") return [200, discovery]
    if (path === "/apis") return [200, { kind: "APIGroupDiscoveryList", items: [] }]
    if (path === "/api/v1/nodes") return [200, { apiVersion: "v1", metadata: {}, items: nodes }]
    if (path === "/api/v1/events") return [200, { items: eventsOf(request) }]
    if (path === "/api/v1/pods") return [200, { items: [] }]
    const found = nodes.find(({ metadata }) => path === `/api/v1/nodes/${metadata.name}`)
    return found === undefined
      ? [404, { kind: "Status", reason: "NotFound", code: 404, message: `nothing at ${path}` }]
      : [200, found]
  }
  const host: Host = {
    api: {
      raw: (request) => {
        const [code, body] = answer(request)
        return Effect.succeed({ code, headers: {}, body: JSON.stringify(body) })
      }
    },
    namespace: "default",
    server: "http://localhost",
    stdout: (text) => {
      written.stdout += text
    },
    stderr: (text) => {
      written.stderr += text
    },
    readFiles: () => Effect.succeed(undefined),
    stdin: Effect.succeed("")
  }
  return { exit: yield* kubectl(host, argv), ...written }
})

const output = (stdout: string, stderr: string) => ({ exit: stderr === "" ? 0 : 1, stdout, stderr })

const cases: ReadonlyArray<readonly [argv: string, stdout: string, stderr: string]> = [
  ["node a k=v:NoSchedule --dry-run=client", "node/a tainted\n", ""],
  ["node a b old-", "node/a untainted\n", 'error: taint "old" not found\n'],
  ["node a x- y:NoExecute-", "", 'taint "x" not found\ntaint "y:NoExecute" not found\n'],
  ["node a b x- y-", "", '[taint "x" not found, taint "y" not found]\n[taint "x" not found, taint "y" not found]\n'],
  ["node a zz old-", "node/a untainted\n", "Error from server (NotFound): nothing at /api/v1/nodes/zz\n"],
  ["nodes --all k=v:NoSchedule", "node/a tainted\nnode/b tainted\n", ""],
  ["nodes --all -l x=y k=v:NoSchedule", "", "error: setting 'all' parameter with a non empty selector is prohibited\n"],
  ["node k=v:NoSchedule", "", "error: at least one resource name must be specified since 'all' parameter is not set\n"],
  ["k=v:NoSchedule", "", "error: one or more resources must be specified as <resource> <name>\n"],
  [
    "node a m=n:NoSchedule q=r:NoExecute m- q:NoExecute-",
    "",
    "error: can not both modify and remove the following taint(s) in the same command: m=, q=NoExecute\n"
  ]
]

describe("kubectl taint", () => {
  for (const [argv, stdout, stderr] of cases) {
    it.effect(argv, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* run("taint", ...argv.split(" ")), output(stdout, stderr))
      })
    )
  }

  it.effect("reports every error in a key", () =>
    Effect.gen(function* () {
      const { stderr } = yield* run("taint", "node", "a", "=n:NoSchedule")
      assert.include(
        stderr,
        "invalid taint spec: =n:NoSchedule, name part must be non-empty; name part must consist of"
      )
    })
  )
})

describe("kubectl", () => {
  it.effect("describes a node with the events of its kubelet and of controllers, by time", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run("describe", "node", "a")
      const events = stdout.slice(stdout.indexOf("Events:"))
      assert.deepStrictEqual(events.match(/Registered|Starting/g), ["Starting", "Registered"], events)
    })
  )

  it.effect("refuses a selector with names", () =>
    Effect.gen(function* () {
      for (const verb of ["get", "describe"]) {
        const { stderr } = yield* run(verb, "node", "a", "-l", "x=y")
        assert.strictEqual(stderr, "error: name cannot be provided when a selector is specified\n")
      }
    })
  )
})
