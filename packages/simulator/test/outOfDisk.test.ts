import { assert, describe, it } from "vitest"
import { entriesOf, run } from "./run.ts"

describe("a machine of 1.4 whose disk is nearly full", () => {
  it("is OutOfDisk by --low-diskspace-threshold-mb", () => {
    const spec = (threshold: string) => ({
      duration: "2m",
      release: "1.4",
      cluster: { nodes: [{ name: "a", count: 1 }] },
      flags: { kubelet: [`--low-diskspace-threshold-mb=${threshold}`] },
      events: [{ at: "30s", fault: "disk-pressure", nodes: { group: "a" }, available: "500Mi" }]
    })
    const changes = (threshold: string) =>
      entriesOf(run(spec(threshold)), "ConditionChanged")
        .filter(({ condition }) => condition === "OutOfDisk")
        .map(({ from, to }) => `${from} ${to}`)
    assert.deepStrictEqual(changes("1000"), ["null False", "False True"])
    assert.deepStrictEqual(changes("256"), ["null False"])
  })
})
