import { assert, describe, it } from "vitest"
import { removalOptions } from "../../src/garbage/decideCollection.ts"

describe("the garbage collector's deletions", () => {
  it("name the very object, first as it was seen", () => {
    const seen = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", resourceVersion: "7" } }
    assert.deepStrictEqual(removalOptions("u1", seen, "Foreground"), {
      seenVersion: { propagationPolicy: "Foreground", preconditions: { uid: "u1", resourceVersion: "7" } },
      anyVersion: { propagationPolicy: "Foreground", preconditions: { uid: "u1" } }
    })
  })

  it("name its UID where it has no revision", () => {
    const seen = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }
    const { anyVersion, seenVersion } = removalOptions("u1", seen, "Orphan")
    assert.deepStrictEqual(seenVersion, { propagationPolicy: "Orphan", preconditions: { uid: "u1" } })
    assert.deepStrictEqual(anyVersion, seenVersion)
  })
})
