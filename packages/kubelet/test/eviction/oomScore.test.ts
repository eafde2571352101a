import type { Container, Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { oomScoreOf } from "../../src/eviction/oomScore.ts"
import { GI, makePod } from "./samples.ts"

const container = (name: string, request?: string, limit?: string): Container => ({
  name,
  resources: {
    ...(request === undefined ? {} : { requests: { cpu: "1", memory: request } }),
    ...(limit === undefined ? {} : { limits: { cpu: "1", memory: limit } })
  }
})

const podOf = (...containers: ReadonlyArray<Container>): Pod => makePod("p", { containers })
const scoreOf = (pod: Pod, index = 0): number =>
  oomScoreOf(pod, [...pod.spec.containers, ...(pod.spec.initContainers ?? [])][index] as Container, 8 * GI)

describe("oom_score_adj", () => {
  it("is lowest for Guaranteed and node-critical pods, highest for BestEffort", () => {
    assert.strictEqual(scoreOf(podOf(container("c", "1Gi", "1Gi"))), -997)
    assert.strictEqual(scoreOf(podOf(container("c"))), 1000)
    const critical = makePod("p", { priority: 2_000_001_000, priorityClassName: "system-node-critical" })
    assert.strictEqual(scoreOf(critical), -997)
    assert.strictEqual(
      scoreOf(makePod("p", { priority: 2_000_000_000, priorityClassName: "system-cluster-critical" })),
      1000
    )
  })

  it("falls with a Burstable container's share of the machine, from 999 to 3", () => {
    assert.strictEqual(scoreOf(podOf(container("c", "2Gi"))), 750)
    assert.strictEqual(scoreOf(podOf(container("c", "1Mi"))), 999)
    assert.strictEqual(scoreOf(podOf(container("c", "8Gi"))), 3)
    assert.strictEqual(scoreOf(podOf(container("c", "2Gi"), container("d"))), 750)
    assert.strictEqual(scoreOf(podOf(container("c", "2Gi"), container("d")), 1), 999)
  })

  it("gives a sidecar the score of the regular containers, if that is lower", () => {
    const sidecar: Container = { ...container("s", "1Gi"), restartPolicy: "Always" }
    const pod = makePod("p", { containers: [container("c", "2Gi"), container("d", "4Gi")], initContainers: [sidecar] })
    assert.strictEqual(scoreOf(pod, 2), 750)
    const plain = makePod("p", { containers: [container("c", "2Gi")], initContainers: [container("i", "1Gi")] })
    assert.strictEqual(scoreOf(plain, 1), 875)
  })

  it("divides the pod-level request beyond the containers' requests", () => {
    const pod = makePod("p", {
      containers: [container("c", "1Gi"), container("d", "1Gi")],
      resources: { requests: { memory: "4Gi" } }
    })
    assert.strictEqual(scoreOf(pod), 750)
  })
})
