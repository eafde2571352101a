import { assert, describe, it } from "vitest"
import { replicaPlan } from "../src/replicaset/replicaPlan.ts"

describe("what a ReplicaSet does about its number of pods", () => {
  it("creates what is missing and deletes the excess", () => {
    assert.deepStrictEqual(replicaPlan(3, 3, 500), { act: "nothing" })
    assert.deepStrictEqual(replicaPlan(1, 3, 500), { act: "create", count: 2 })
    assert.deepStrictEqual(replicaPlan(5, 3, 500), { act: "delete", count: 2 })
    assert.deepStrictEqual(replicaPlan(2, 0, 500), { act: "delete", count: 2 })
  })

  it("creates at most a burst in one sync", () => {
    assert.deepStrictEqual(replicaPlan(0, 501, 500), { act: "create", count: 500 })
    assert.deepStrictEqual(replicaPlan(501, 0, 500), { act: "delete", count: 500 })
  })
})
