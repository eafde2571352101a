import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { annotationBehaviour } from "../../src/runtime/PodBehaviour.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

/** Runs a pod, whose containers start at 6 s, until that time. Returns its status. */
const statusAt = (seconds: number, spec: Partial<Pod["spec"]>, behaviour?: string): Pod["status"] => {
  const { api, kubelet, untilMs } = setUpKubelet()
  kubelet.startKubelet()
  untilMs(5_000)
  const annotations = behaviour === undefined ? {} : { [annotationBehaviour]: behaviour }
  const metadata = { name: "a", namespace: "default", annotations }
  const object: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { nodeName: "n1", restartPolicy: "Never", containers: [{ name: "c", image: "app" }], ...spec }
  }
  api.ask({ verb: "create", kind: "Pod", namespace: "default", object })
  untilMs(seconds * 1000)
  return api.pod("a")?.status
}

const running = (script: string) => [{ name: "c", image: "app", command: ["sh", "-c", script] }]

describe("a container whose command decides how it ends", () => {
  it("ends so", () => {
    const containers = running("sleep 4; exit 3")
    assert.strictEqual(statusAt(9, { containers })?.phase, "Running")
    const status = statusAt(11, { containers })
    assert.strictEqual(status?.phase, "Failed")
    assert.strictEqual(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 3)
    assert.strictEqual(statusAt(11, { containers: running("sleep 4") })?.phase, "Succeeded")
  })

  it("fails its pod as an init container", () => {
    const status = statusAt(9, { initContainers: [{ name: "i", image: "app", command: ["/bin/false"] }] })
    assert.strictEqual(status?.phase, "Failed")
    assert.strictEqual(status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 1)
  })

  it("is restarted, with the same end", () => {
    const status = statusAt(60, { restartPolicy: "OnFailure", containers: running("exit 1") })
    assert.strictEqual(status?.phase, "Running")
    assert.isAtLeast(status?.containerStatuses?.[0]?.restartCount ?? 0, 2)
  })

  it("ends as its pod's annotation says, if that says how", () => {
    const containers = running("exit 1")
    const annotated = statusAt(20, { containers }, '{"c": {"exitAfterSeconds": 2}}')
    assert.strictEqual(annotated?.phase, "Succeeded")
    assert.strictEqual(statusAt(20, { containers }, '{"c": {"exitAfterSeconds": 2, "exitTimes": 0}}')?.phase, "Running")
    assert.strictEqual(statusAt(20, { containers }, '{"c": {"memory": "1Mi"}}')?.phase, "Failed")
  })
})
