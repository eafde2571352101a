import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "vitest"
import { type StartedCluster, startCluster } from "../src/index.ts"

const conditionOf = async ({ client }: StartedCluster, name: string, type = "Ready") => {
  const { status } = await client.get("Node", { name })
  return status?.conditions?.find((condition) => condition.type === type)?.status
}

const podOf = (name: string) => ({
  apiVersion: "v1" as const,
  kind: "Pod" as const,
  metadata: { name, namespace: "default" },
  spec: { containers: [{ name: "main", image: "app" }] }
})

describe("startCluster", () => {
  it("gives nodes that are Ready, and deletes its folder when it stops", async () => {
    const cluster = await startCluster({ nodes: 4, zones: 2 })
    const { items } = await cluster.client.list("Node")
    assert.sameMembers(
      items.map(({ metadata }) => metadata.name),
      ["a-0", "a-1", "b-0", "b-1"]
    )
    assert.strictEqual(await conditionOf(cluster, "b-1"), "True")
    assert.isTrue(existsSync(cluster.kubeconfigFile))
    await cluster.stop()
    await cluster.stop()
    assert.isFalse(existsSync(dirname(cluster.kubeconfigFile)))
  })

  it("lets minutes of an outage pass in milliseconds", async () => {
    await using cluster = await startCluster({ nodes: 4, zones: 2 })
    await cluster.client.create("Pod", podOf("app"))
    await cluster.advance("30s")
    const { spec } = await cluster.client.get("Pod", { namespace: "default", name: "app" })
    const node = spec.nodeName ?? assert.fail("the pod is not scheduled")
    const startedMs = cluster.now()
    const partition = await cluster.partition({ nodes: { names: [node] } })
    assert.deepStrictEqual(partition.nodes, [node])
    await cluster.advance("1m")
    assert.strictEqual(await conditionOf(cluster, node), "Unknown")
    await cluster.advance("6m")
    const { metadata } = await cluster.client.get("Pod", { namespace: "default", name: "app" })
    assert.isDefined(metadata.deletionTimestamp)
    assert.isAtLeast(cluster.now() - startedMs, 7 * 60_000)
    await partition.end()
    await cluster.advance("1m")
    assert.strictEqual(await conditionOf(cluster, node), "True")
  })

  it("refuses options and faults with the words of the command line", async () => {
    const message = (promise: Promise<unknown>) =>
      promise.then(
        () => assert.fail("nothing was refused"),
        (error: Error) => error.message
      )
    assert.include(await message(startCluster({ flags: ["--nods=3"] })), "--nods")
    assert.include(await message(startCluster({ release: "9.9" })), "9.9")
    await using cluster = await startCluster({ nodes: 1 })
    assert.include(await message(cluster.fault("partiton" as "partition")), "partition")
    assert.include(await message(cluster.partition({ nodes: { names: ["a-7"] } })), "a-7")
    assert.include(await message(cluster.advance("soon")), '"6m"')
    assert.include(await message(cluster.client.get("Node", { name: "a-7" })), 'nodes "a-7" not found')
  })

  it("runs twenty clusters in parallel in one process", async () => {
    const clusters = await Promise.all(Array.from({ length: 20 }, () => startCluster({ nodes: 2 })))
    assert.strictEqual(new Set(clusters.map(({ url }) => url)).size, 20)
    await Promise.all(
      clusters.map(async (cluster, index) => {
        if (index % 2 === 0) await cluster.partition({ nodes: { names: ["a-0"] } })
        await cluster.advance("2m")
        assert.strictEqual(await conditionOf(cluster, "a-0"), index % 2 === 0 ? "Unknown" : "True", `cluster ${index}`)
      })
    )
    await Promise.all(clusters.map(({ stop }) => stop()))
  })
})
