import { assert, describe, it } from "@effect/vitest"
import { heapWarning, type PlanSize } from "../src/commands/simulate/heapWarning.ts"

const GIBIBYTE = 1024 ** 3
const loaded = (kind: string, count: number) =>
  Array.from({ length: count }, () => ({ kind })) as unknown as PlanSize["snapshot"]
const group = (count: number) =>
  ({ names: Array.from({ length: count }, (_, index) => `node-${index}`) }) as unknown as PlanSize["groups"][number]

describe("the warning about memory", () => {
  it("names the setting for a cluster that does not fit", () => {
    const warning = heapWarning({ groups: [], snapshot: [...loaded("Node", 1000), ...loaded("Pod", 1024)] }, 1024 ** 2)
    assert.strictEqual(
      warning,
      "1,000 nodes with 1,024 pods need about 51 MiB of memory, and Node.js takes 1 at most: set NODE_OPTIONS=--max-old-space-size=51"
    )
  })

  it("counts the nodes of groups", () => {
    assert.include(
      heapWarning({ groups: [group(90_000)], snapshot: [] }, 4 * GIBIBYTE) ?? "",
      "90,000 nodes with 0 pods"
    )
  })

  it("is silent about what fits", () => {
    assert.strictEqual(heapWarning({ groups: [group(5000)], snapshot: loaded("Pod", 150_000) }, GIBIBYTE), undefined)
  })
})
