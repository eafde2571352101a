import type { Pod, Status } from "@rollcall/api"
import type { LocalRequest } from "@rollcall/api-server/http"
import type { Connection } from "@rollcall/cluster"
import type { Machine } from "@rollcall/machines"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { resourceMetricsApi } from "../src/fleet/resourceMetricsApi.ts"

const running = { state: { running: { startedAt: "2026-01-01T00:00:00Z" } } }

const pod = (name: string, nodeName: string, behaviour: string | undefined, isRunning = true): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "ns",
    labels: { app: name },
    ...(behaviour === undefined ? {} : { annotations: { "rollcall.dev/behaviour": behaviour } })
  },
  spec: { nodeName, containers: [{ name: "c", image: "i" }] },
  status: {
    containerStatuses: [
      { name: "c", ready: true, restartCount: 0, image: "i", imageID: "i", ...(isRunning ? running : {}) }
    ]
  }
})

const pods = [
  pod("a", "n1", '{"c":{"cpu":"250m","memory":"64Mi"}}'),
  pod("b", "n1", undefined),
  pod("waiting", "n1", '{"c":{"cpu":"1"}}', false),
  pod("off", "n2", '{"c":{"cpu":"1"}}'),
  pod("cut-off", "n4", '{"c":{"cpu":"1"}}'),
  pod("odd", "n1", "no JSON")
]

const connection: Connection = {
  send: (request, reply) => {
    const { fieldSelector = "" } = request as { readonly fieldSelector?: string }
    const nodes = ["n1", "n2", "n3", "n4"].map((name) => ({ apiVersion: "v1", kind: "Node", metadata: { name } }))
    const all = request.kind === "Node" ? nodes : pods
    const [field = "", value] = fieldSelector.split("=")
    const items = all.filter(
      (object) =>
        field === "" || (field === "metadata.name" ? object.metadata.name : (object as Pod).spec.nodeName) === value
    )
    reply(Result.succeed({ items }))
    return () => {}
  },
  watch: () => () => {}
}

const machine = (powered: boolean, cut = false) =>
  ({ powered, kubelet: { running: true }, link: { state: { cut } } }) as unknown as Machine
const machines: Readonly<Record<string, Machine>> = {
  n1: machine(true),
  n2: machine(false),
  n3: machine(true),
  n4: machine(true, true)
}

const api = resourceMetricsApi(
  (name) => machines[name],
  () => 1_767_225_600_000
)

const read = (request: Partial<LocalRequest>) => {
  let answered: Result.Result<object, Status> | undefined
  const all = { resource: "pods", namespace: "", name: "", labelSelector: undefined, fieldSelector: undefined }
  api.read({ ...all, ...request }, connection, (answer) => {
    answered = answer
  })
  if (answered === undefined) throw new Error("no answer")
  return answered
}

interface Metrics {
  readonly metadata: { readonly name: string }
  readonly usage: unknown
  readonly containers: ReadonlyArray<{ readonly name: string; readonly usage: unknown }>
}

const itemsOf = (request: Partial<LocalRequest>) =>
  (Result.getOrThrow(read(request)) as { readonly items: ReadonlyArray<Metrics> }).items

describe("metrics.k8s.io of modelled machines", () => {
  it("has what running containers use by their behaviour, on machines that are reached", () => {
    assert.deepStrictEqual(
      itemsOf({}).map(({ containers, metadata }) => [metadata.name, containers]),
      [
        ["a", [{ name: "c", usage: { cpu: "250000000n", memory: "65536Ki" } }]],
        ["b", [{ name: "c", usage: { cpu: "1000000n", memory: "4096Ki" } }]],
        ["odd", [{ name: "c", usage: { cpu: "1000000n", memory: "4096Ki" } }]]
      ]
    )
  })

  it("sums the pods of each node", () => {
    assert.deepStrictEqual(
      itemsOf({ resource: "nodes" }).map(({ metadata, usage }) => [metadata.name, usage]),
      [
        ["n1", { cpu: "252000000n", memory: "73728Ki" }],
        ["n3", { cpu: "0n", memory: "0Ki" }]
      ]
    )
  })

  it("answers for one object, or that there are no metrics of it", () => {
    const one = Result.getOrThrow(read({ resource: "nodes", name: "n1" })) as { readonly kind: string }
    assert.strictEqual(one.kind, "NodeMetrics")
    const refusal = (request: Partial<LocalRequest>) => {
      const answer = read(request)
      return Result.isFailure(answer) ? answer.failure.message : ""
    }
    assert.strictEqual(
      refusal({ name: "waiting", namespace: "ns" }),
      'podmetrics.metrics.k8s.io "ns/waiting" not found'
    )
    assert.strictEqual(refusal({ name: "none", namespace: "ns" }), 'pods "none" not found')
    assert.strictEqual(refusal({ resource: "nodes", name: "n4" }), 'nodemetrics.metrics.k8s.io "n4" not found')
    assert.strictEqual(refusal({ resource: "nodes", name: "none" }), 'node "none" not found')
  })
})
