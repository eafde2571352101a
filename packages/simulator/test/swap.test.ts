import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { loadScenarioText } from "../src/index.ts"
import { entriesOf, run } from "./run.ts"

const GI = 1024 ** 3

const pod = (name: string, resources: object, extra: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { nodeName: "a-0", containers: [{ name: "c", image: "x", resources }], ...extra }
})

const spec = (kubelet: object, swap: string | number = "4Gi", release = "1.36") => ({
  duration: "1m",
  release,
  cluster: {
    nodes: [{ name: "a", capacity: { memory: "8Gi" }, swap, kubelet }],
    objects: [
      pod("share", { requests: { memory: "2Gi" } }),
      pod("sure", { requests: { memory: "1Gi", cpu: "1" }, limits: { memory: "1Gi", cpu: "1" } }),
      pod("least", {})
    ]
  }
})

const limits = (given: ReturnType<typeof spec>) =>
  entriesOf(run(given), "ContainerSwapLimited")
    .map(({ behaviour, container, limit, node, pod }) => [pod, container, node, behaviour, limit].join(" "))
    .toSorted()

const refusal = (given: object): string => {
  const document = { apiVersion: "rollcall.dev/v1alpha1", kind: "Scenario", metadata: { name: "s" }, spec: given }
  const loaded = Effect.runSync(Effect.result(loadScenarioText(JSON.stringify(document), { name: "s.yaml" })))
  return Result.isFailure(loaded) ? loaded.failure.message : assert.fail("accepted")
}

describe("swap of a group's machines", () => {
  it("keeps kubelets from starting with failSwapOn", () => {
    const swapOn = "running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"
    assert.strictEqual(
      refusal(spec({})),
      `s.yaml: spec.cluster.nodes[0].kubelet: the kubelet would not start: ${swapOn}`
    )
    assert.include(refusal(spec({}, "-1Gi")), "s.yaml: spec.cluster.nodes[0].swap: ")
    assert.deepStrictEqual(limits(spec({}, 0)), [])
  })

  it("is reported by the Node, and divided among containers by their memory requests", () => {
    const result = run(spec({ failSwapOn: false, memorySwap: { swapBehavior: "LimitedSwap" } }))
    assert.deepStrictEqual(
      entriesOf(result, "ContainerSwapLimited")
        .map(({ behaviour, limit, pod }) => [pod, behaviour, limit].join(" "))
        .toSorted(),
      ["least NoSwap 0", `share LimitedSwap ${GI}`, "sure NoSwap 0"]
    )
  })

  it("is denied to containers by NoSwap, and unlimited in early releases", () => {
    const none = ["least c a-0 NoSwap 0", "share c a-0 NoSwap 0", "sure c a-0 NoSwap 0"]
    assert.deepStrictEqual(limits(spec({ failSwapOn: false })), none)
    const unlimited = limits(
      spec(
        { failSwapOn: false, featureGates: { NodeSwap: true }, memorySwap: { swapBehavior: "UnlimitedSwap" } },
        "4Gi",
        "1.26"
      )
    )
    assert.deepStrictEqual(
      unlimited,
      ["least", "share", "sure"].map((name) => `${name} c a-0 UnlimitedSwap max`)
    )
    assert.deepStrictEqual(
      limits(spec({}, "4Gi", "1.4")),
      ["least", "share", "sure"].map((name) => `${name} c a-0 NoSwap max`)
    )
  })
})
