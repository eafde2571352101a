import type { Container, Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { configProblemOf } from "../../src/pod/configProblem.ts"
import { createPod, makeRecorder, startKubelet, states, statusOf } from "./lifeOf.ts"

const mounting = (subPathExpr: string, env: Container["env"] = []): Container => ({
  name: "c",
  image: "busybox",
  command: ["sleep", "999"],
  env,
  volumeMounts: [{ name: "v", mountPath: "/v", subPathExpr }]
})

const annotation = { fieldRef: { fieldPath: "metadata.annotations['where']" } }

describe("configProblemOf", () => {
  const problemOf = (subPathExpr: string, env: Container["env"] = []): string | undefined => {
    const container = mounting(subPathExpr, env)
    const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [container] } }
    return configProblemOf(pod, container)
  }
  const to = (value: string) => [{ name: "TO", value }]

  it("finds paths in a volume that lead out of it, or name what has no value", () => {
    assert.strictEqual(problemOf("a/$(TO)", to("b")), undefined)
    assert.strictEqual(problemOf("a/$$(B)"), undefined)
    assert.strictEqual(problemOf("$(TO)", to("/etc")), "error SubPath `/etc` must not be an absolute path")
    assert.strictEqual(problemOf("a/$(TO)/b", to("..")), "unable to provision SubPath `a/../b`: must not contain '..'")
    assert.strictEqual(problemOf("$(B)/$(A)/$(TO)", to("")), "missing value for A, B, TO")
    assert.strictEqual(problemOf("$(W)", [{ name: "W", valueFrom: annotation }]), "missing value for W")
  })

  it("leaves what it does not know to the start", () => {
    const valueFrom = { configMapKeyRef: { name: "cm", key: "k" } }
    assert.strictEqual(problemOf("$(W)", [{ name: "W", valueFrom }]), undefined)
  })
})

describe("a container with a path that has no value yet", () => {
  it("is not started before it has one", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    const container = mounting("$(W)", [{ name: "W", valueFrom: annotation }])
    createPod(testNode, "p", { containers: [container], volumes: [{ name: "v", emptyDir: {} }] })
    testNode.untilMs(30_000)
    assert.strictEqual(states(testNode, "p"), "c CreateContainerConfigError")
    assert.strictEqual(statusOf(testNode, "p", "c")?.state?.waiting?.message, "missing value for W")
    assert.include(events, "Warning Failed Error: missing value for W")
    const body = { metadata: { annotations: { where: "here" } } }
    testNode.api.ask({ verb: "patch", kind: "Pod", namespace: "default", name: "p", patchType: "merge", body })
    testNode.untilMs(90_000)
    assert.strictEqual(states(testNode, "p"), "c running")
  })
})
