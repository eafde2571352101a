import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import { podResourcesPage } from "../src/serving/podResources.ts"

const podOf = (name: string, spec: Partial<Pod["spec"]>, phase = "Running"): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "a" },
  spec: { schedulerName: "s", containers: [], ...spec },
  status: { phase: phase as "Running" }
})

const linesOf = (...pods: ReadonlyArray<Pod>) =>
  podResourcesPage(pods)
    .body.split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .toSorted()

const requests = { cpu: "1500m", memory: "1Ki", "ex.io/gpu": "2", "hugepages-2Mi": "0" }

describe("/metrics/resources", () => {
  it("tells what each pod requests and its limits, in the units of the resources", () => {
    const resources = { requests, limits: { "ephemeral-storage": "5" } }
    const pod = podOf("p", { nodeName: "n", priority: 7, containers: [{ name: "c", image: "i", resources }] })
    const of = 'namespace="a",node="n",pod="p",priority="7"'
    assert.deepStrictEqual(linesOf(pod), [
      `kube_pod_resource_limit{${of},resource="ephemeral-storage",scheduler="s",unit="bytes"} 5`,
      `kube_pod_resource_request{${of},resource="cpu",scheduler="s",unit="cores"} 1.5`,
      `kube_pod_resource_request{${of},resource="ex.io/gpu",scheduler="s",unit=""} 2`,
      `kube_pod_resource_request{${of},resource="memory",scheduler="s",unit="bytes"} 1024`
    ])
  })

  it("leaves out pods that have ended on their nodes", () => {
    const containers = [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }]
    assert.deepStrictEqual(linesOf(podOf("p", { nodeName: "n", containers }, "Failed")), [])
    assert.strictEqual(linesOf(podOf("p", { containers }, "Failed")).length, 1)
  })
})
