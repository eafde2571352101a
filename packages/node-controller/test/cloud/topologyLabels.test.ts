import { assert, describe, it } from "vitest"
import { topologyLabelsToSet } from "../../src/rules.ts"

const betaLabels = {
  "failure-domain.beta.kubernetes.io/zone": "z1",
  "failure-domain.beta.kubernetes.io/region": "r1",
  "beta.kubernetes.io/instance-type": "m8"
}
const stableLabels = {
  "topology.kubernetes.io/zone": "z1",
  "topology.kubernetes.io/region": "r1",
  "node.kubernetes.io/instance-type": "m8"
}

describe("stable topology labels", () => {
  it("follow their beta namesakes, whether they are missing or say something else", () => {
    assert.deepStrictEqual(topologyLabelsToSet(betaLabels), stableLabels)
    assert.deepStrictEqual(
      topologyLabelsToSet({ ...betaLabels, ...stableLabels, "topology.kubernetes.io/zone": "z2" }),
      {
        "topology.kubernetes.io/zone": "z1"
      }
    )
  })

  it("stay where there is no beta label to follow, or they agree", () => {
    assert.isUndefined(topologyLabelsToSet())
    assert.isUndefined(topologyLabelsToSet(stableLabels))
    assert.isUndefined(topologyLabelsToSet({ ...betaLabels, ...stableLabels }))
  })
})
