import { assert, describe, it } from "vitest"
import { makeFolder, run } from "./cli.ts"

const kubelet = (more: string) => `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${more}`

const limitedSwapKubelet = kubelet("failSwapOn: false\nmemorySwap: { swapBehavior: LimitedSwap }\n")

const node = `apiVersion: v1
kind: Node
metadata: { name: n1 }
status: { capacity: { memory: 8Gi }, nodeInfo: { swap: { capacity: 4294967296 } } }
`
const pods = `apiVersion: v1
kind: Pod
metadata: { name: web, namespace: default }
spec:
  nodeName: n1
  containers:
    - { name: c, image: x, resources: { requests: { memory: 2Gi } } }
    - { name: side, image: x }
`

const runPlanSwap = (files: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const at = makeFolder(files)
  return run("plan", "swap", ...args.map((arg) => (arg in files ? at(arg) : arg)))
}

describe("rollcall plan swap", () => {
  it("reports the swap limit of each container of a node", async () => {
    const files = { "k.yaml": limitedSwapKubelet, "p.yaml": `${node}---\n${pods}` }
    const { code, stdout } = await runPlanSwap(files, "--config", "k.yaml", "--pods", "p.yaml")
    assert.strictEqual(code, 0)
    assert.strictEqual(
      stdout,
      `Node n1 (Kubernetes 1.36) has 8Gi of memory and 4Gi of swap; swapBehavior: LimitedSwap.

  pod          container  memory request  memory limit  swap
  default/web  c          2Gi             -             1Gi
  default/web  side       -               -             0
`
    )
    const json = await runPlanSwap(files, "--config", "k.yaml", "--pods", "p.yaml", "-o", "json", "--swap", "8Gi")
    const { pods: planned, swapBytes } = JSON.parse(json.stdout)
    assert.strictEqual(swapBytes, 2 ** 33)
    assert.deepStrictEqual(planned[0].containers, [
      { container: "c", behaviour: "LimitedSwap", limit: String(2 ** 31) },
      { container: "side", behaviour: "NoSwap", limit: "0" }
    ])
  })

  it("refuses settings with which a kubelet does not start, and asks for missing input", async () => {
    const files = {
      "k.yaml": kubelet(""),
      "ok.yaml": limitedSwapKubelet,
      "p.yaml": pods,
      "n.yaml": `${node}---\n${pods}`
    }
    const refused = await runPlanSwap(files, "--config", "k.yaml", "--pods", "n.yaml")
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "running with swap on is not supported")
    const unknown = await runPlanSwap(files, "--config", "ok.yaml", "--pods", "p.yaml")
    assert.strictEqual(unknown.code, 2)
    assert.include(unknown.stderr, "--memory: the size is required, because no Node states it")
    const none = await runPlanSwap(files, "--config", "ok.yaml", "--pods", "p.yaml", "--memory", "8Gi", "--swap", "0")
    assert.include(none.stdout, "No container swaps.")
  })
})
