import { assert, describe, it } from "vitest"
import { labelsToSet } from "../../src/rules.ts"

const stableLabels = { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" }
const betaLabels = { "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "arm64" }

describe("beta labels of a node", () => {
  it("follow their stable namesakes, whether they are missing or say something else", () => {
    assert.deepStrictEqual(labelsToSet(stableLabels), betaLabels)
    assert.deepStrictEqual(labelsToSet({ ...stableLabels, ...betaLabels, "beta.kubernetes.io/os": "windows" }), {
      "beta.kubernetes.io/os": "linux"
    })
    assert.deepStrictEqual(labelsToSet({ "kubernetes.io/arch": "arm64" }), { "beta.kubernetes.io/arch": "arm64" })
  })

  it("stay where there is nothing to follow, or they agree", () => {
    assert.isUndefined(labelsToSet(undefined))
    assert.isUndefined(labelsToSet({}))
    assert.isUndefined(labelsToSet(betaLabels))
    assert.isUndefined(labelsToSet({ ...stableLabels, ...betaLabels }))
  })
})
