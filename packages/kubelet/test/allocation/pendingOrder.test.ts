import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type PendingResize, sortPending } from "../../src/allocation/pendingOrder.ts"

const pending = (name: string, given: Partial<PendingResize> & { priority?: number; since?: string } = {}) => {
  const { priority, since, ...rest } = given
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [], ...(priority === undefined ? {} : { priority }) }
  }
  const condition = { type: "PodResizePending", status: "True" } as const
  return {
    pod,
    increases: true,
    qosClass: "Burstable",
    pending: since === undefined ? undefined : { ...condition, lastTransitionTime: since },
    ...rest
  }
}

const orderOf = (...resizes: ReadonlyArray<PendingResize>) =>
  sortPending(resizes, (each) => each).map(({ pod }) => pod.metadata.name)

describe("pending resizes", () => {
  it("begin with what frees resources, however important the others are", () => {
    assert.deepStrictEqual(orderOf(pending("grows", { priority: 9 }), pending("frees", { increases: false })), [
      "frees",
      "grows"
    ])
  })

  it("are ordered by priority, then Guaranteed pods, then by how long they wait", () => {
    const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z"]
    const order = orderOf(
      pending("new"),
      pending("late", { since: late }),
      pending("early", { since: early }),
      pending("guaranteed", { qosClass: "Guaranteed", since: late }),
      pending("important", { priority: 5, since: late })
    )
    assert.deepStrictEqual(order, ["important", "guaranteed", "early", "late", "new"])
  })
})
