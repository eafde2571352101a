import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { isInvalidInput, plan, startCluster } from "../src/index.ts"

const example = (path: string): string => fileURLToPath(new URL(`../../../examples/${path}`, import.meta.url))
const textOf = (path: string): string => readFileSync(example(path), "utf8")

const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => assert.fail("nothing was refused"),
    (error: unknown) => {
      assert.isTrue(isInvalidInput(error))
      return (error as Error).message
    }
  )

describe("plan.drain", () => {
  it("prints what rollcall plan drain prints, of a file and of a text", async () => {
    for (const snapshot of [example("drain/budget-waits/cluster.yaml"), textOf("drain/budget-waits/cluster.yaml")]) {
      const { plan: drain, report } = await plan.drain({ snapshot, nodes: ["n1"] })
      assert.isFalse(drain.blocked)
      assert.strictEqual(report(), textOf("drain/budget-waits/plan.txt"))
      assert.deepStrictEqual(JSON.parse(report("json")), JSON.parse(textOf("drain/budget-waits/plan.json")))
    }
  })

  it("plans over what a client returned, and says what that lacks", async () => {
    await using cluster = await startCluster({ nodes: 2 })
    const nodes = await cluster.client.list("Node")
    const pods = await cluster.client.list("Pod")
    const { plan: drain, warnings } = await plan.drain({ snapshot: [nodes, pods], nodes: ["a-0"] })
    assert.deepStrictEqual(
      drain.nodes.map(({ name }) => name),
      ["a-0"]
    )
    assert.deepStrictEqual(warnings, [])
    const blind = await plan.drain({ snapshot: nodes, nodes: ["a-0"] })
    assert.include(blind.warnings[0], "the snapshot has no Pod")
  })

  it("names the option that is wrong", async () => {
    const snapshot = example("drain/budget-waits/cluster.yaml")
    assert.strictEqual(
      await messageOf(plan.drain({ snapshot, nodes: ["n2", "m1"] })),
      'options: nodes[1]: no node "m1" in the cluster; did you mean "n1"?'
    )
    assert.include(await messageOf(plan.drain({ snapshot, nodes: ["n1"], podSelector: "app in" })), "podSelector")
    assert.include(await messageOf(plan.drain({ snapshot: "kind: [\n", nodes: ["n1"] })), "snapshot:")
    assert.include(await messageOf(plan.drain({ snapshot: ["no-such.yaml"], nodes: ["n1"] })), "no-such.yaml")
  })
})

describe("plan.evictions", () => {
  it("prints what rollcall plan evictions prints", async () => {
    const { plan: forecast, report } = await plan.evictions({ snapshot: example("evictions/zone-outage/cluster.yaml") })
    assert.isNotEmpty(forecast.nodes)
    assert.strictEqual(report(), textOf("evictions/zone-outage/plan.txt"))
    assert.deepStrictEqual(JSON.parse(report("json")), JSON.parse(textOf("evictions/zone-outage/plan.json")))
  })

  it("takes settings and nodes", async () => {
    const snapshot = example("evictions/zone-outage/cluster.yaml")
    const all = await plan.evictions({ snapshot })
    const [node] = all.plan.nodes.map(({ node: { metadata } }) => metadata.name ?? "")
    const some = await plan.evictions({ snapshot, nodes: [node ?? ""], settings: { nodeEvictionRate: 1 } })
    assert.lengthOf(some.plan.nodes, 1)
    assert.notStrictEqual(some.report(), all.report())
    assert.include(await messageOf(plan.evictions({ snapshot, asOf: "noon" })), "options: asOf: found")
    assert.include(await messageOf(plan.evictions({ snapshot, release: "9.9" })), "options: release: found")
  })
})

describe("plan.shutdown", () => {
  it("prints what rollcall plan shutdown prints, of files, texts and values", async () => {
    const folder = "shutdown/plain-30-10"
    const value = { shutdownGracePeriod: "30s", shutdownGracePeriodCriticalPods: "10s" }
    for (const config of [example(`${folder}/kubelet.yaml`), textOf(`${folder}/kubelet.yaml`), value]) {
      const { findings, plan: shutdown, report } = await plan.shutdown({ config, pods: example(`${folder}/pods.yaml`) })
      assert.strictEqual(shutdown.delaySeconds, 30)
      assert.isNotEmpty(findings)
      assert.strictEqual(report(), textOf(`${folder}/plan.txt`))
      assert.deepStrictEqual(JSON.parse(report("json")), JSON.parse(textOf(`${folder}/plan.json`)))
    }
  })

  it("needs the name of the node where the pods are on several", async () => {
    const pods = [example("drain/zone-spread/cluster.yaml")]
    const config = { shutdownGracePeriod: "30s" }
    assert.include(await messageOf(plan.shutdown({ config, pods })), "options: node: is required")
    assert.include(await messageOf(plan.shutdown({ config, pods, node: "nope" })), 'no pod is on node "nope"')
    assert.include(await messageOf(plan.shutdown({ config: { shutdownGracePeriod: "soon" } })), "config: ")
  })
})

describe("plan.swap", () => {
  it("plans the swap of the containers of a node", async () => {
    const config = example("swap/kubelet.yaml")
    const { plan: swap, report } = await plan.swap({ config, pods: example("swap/pods.yaml") })
    assert.isAbove(swap.swapBytes, 0)
    assert.include(report(), "LimitedSwap")
    const larger = await plan.swap({ config, pods: example("swap/pods.yaml"), swap: "64Gi" })
    assert.strictEqual(larger.plan.swapBytes, 64 * 2 ** 30)
    assert.include(
      await messageOf(plan.swap({ config, pods: example("swap/pods.yaml"), memory: "much" })),
      'options: memory: found "much", expected a quantity such as 8Gi'
    )
    const strict = plan.swap({ config: {}, pods: example("swap/pods.yaml"), swap: "1Gi" })
    assert.include(await messageOf(strict), "config: the kubelet would not start")
  })
})
