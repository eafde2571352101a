import { assert, describe, it } from "vitest"
import { didYouMean, nearest } from "../src/text.ts"

describe("the nearest name", () => {
  it("is the one that is misspelt, in whatever case", () => {
    assert.strictEqual(nearest("partitoin", ["crash", "partition"]), "partition")
    assert.strictEqual(nearest("ZONE", ["names", "zones"]), "zones")
    assert.strictEqual(nearest("zoness", ["names", "zones"]), "zones")
    assert.isUndefined(nearest("something", ["names", "zones"]))
    assert.strictEqual(didYouMean("zones", ["zones"]), "")
  })

  it("is the only one whose first part is the written one", () => {
    const nodes = ["ip-10-0-1-10.eu-west-1.compute.internal", "ip-10-0-1-11.eu-west-1.compute.internal"]
    assert.strictEqual(nearest("ip-10-0-1-11", nodes), nodes[1])
    assert.strictEqual(nearest("data", ["data-dir", "datacenters"]), "data-dir")
    assert.isUndefined(nearest("ip-10-0-1-1", nodes))
    assert.isUndefined(nearest("ip-10-0-1-11", [...nodes, "ip-10-0-1-11.eu-west-2.compute.internal"]))
  })

  it("compares no names whose lengths are too far apart, nor names of a megabyte", () => {
    let compared = 0
    const counting = (length: number) => {
      const name = "x".repeat(length)
      return Object.assign(Object(name) as string, {
        toLowerCase: () => {
          compared++
          return name
        }
      })
    }
    const long = "x".repeat(2 ** 20)
    assert.isUndefined(nearest(long, [counting(8), counting(2 ** 20), counting(2 ** 20 - 1)]))
    assert.isUndefined(nearest("zones", [counting(2 ** 20), counting(9)]))
    assert.strictEqual(compared, 0)
    nearest("xxxxx", [counting(6)])
    assert.strictEqual(compared, 1)
  })
})
