import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import { deletionCost } from "../src/replicaset/deletionOrder.ts"
import { podsToDelete } from "../src/rules.ts"

const NOW = Date.UTC(2026, 0, 1, 1)

const podOf = (name: string, cost?: string, nodeName: string | undefined = "n"): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    uid: name,
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...(cost === undefined ? {} : { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } })
  },
  spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
  status: { phase: "Running" }
})

const names = (pods: ReadonlyArray<Pod>) => pods.map(({ metadata }) => metadata.name)

describe("podsToDelete", () => {
  it("reads deletion costs as Kubernetes does", () => {
    const costs = ["0", "7", "-7", "007", "+7", "1.5", "", "2147483647", "2147483648", "-2147483648"]
    assert.deepStrictEqual(
      costs.map((cost) => deletionCost(podOf("p", cost))),
      [0, 7, -7, 0, 0, 0, 0, 2_147_483_647, 0, -2_147_483_648]
    )
  })

  it("takes pods without a node first, then the cheap ones", () => {
    const dear = podOf("dear", "100")
    const cheap = podOf("cheap", "-1")
    const pending = { ...podOf("pending", "1000"), spec: { containers: [] } }
    assert.deepStrictEqual(names(podsToDelete([dear, cheap, pending], [], 2, NOW)), ["pending", "cheap"])
  })

  it("treats ages within one power of two as equal, and then compares UIDs", () => {
    const aged = (name: string, creationTimestamp: string) => {
      const pod = podOf(name)
      return { ...pod, metadata: { ...pod.metadata, creationTimestamp } }
    }
    // 3600 s and 3000 s are in one bucket, 1000 s is in a younger one.
    const a = aged("a", "2026-01-01T00:00:00Z")
    const b = aged("b", "2026-01-01T00:10:00Z")
    const c = aged("c", "2026-01-01T00:43:20Z")
    assert.deepStrictEqual(names(podsToDelete([a, b, c], [], 2, NOW)), ["c", "a"])
    assert.deepStrictEqual(names(podsToDelete([b, a, c], [], 2, NOW)), ["c", "a"])
  })
})
