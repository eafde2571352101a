import { CoreV1Api, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node"
import { startCluster } from "@rollcall/testing"
import { expect, it } from "vitest"

/** The controller: cordons each node whose Ready is Unknown. */
const startController = async (kubeconfig: string) => {
  const config = new KubeConfig()
  config.loadFromString(kubeconfig)
  const api = config.makeApiClient(CoreV1Api)
  const informer = makeInformer(config, "/api/v1/nodes", () => api.listNode())
  informer.on("update", async ({ metadata, spec, status }) => {
    const isLost = status?.conditions?.some(({ status, type }) => type === "Ready" && status === "Unknown")
    if (isLost !== true || spec?.unschedulable === true) return
    const change = { name: metadata?.name ?? "", body: { spec: { unschedulable: true } } }
    await api.patchNode(change, setHeaderOptions("Content-Type", PatchStrategy.MergePatch))
  })
  await informer.start()
  return () => informer.stop()
}

it("cordons a lost node, and no other", async () => {
  await using cluster = await startCluster({ nodes: 3 })
  const stopController = await startController(cluster.kubeconfig)
  await cluster.partition({ nodes: { names: ["a-1"] } })
  await cluster.advance("6m")
  const { items } = await cluster.client.list("Node")
  const cordoned = items.filter(({ spec }) => spec?.unschedulable === true)
  expect(cordoned.map(({ metadata }) => metadata.name)).toEqual(["a-1"])
  await stopController()
})
