import { assert, describe, it } from "vitest"
import { zoneKeyOf, zoneNames } from "../../src/index.ts"

const zone = "topology.kubernetes.io/zone"
const region = "topology.kubernetes.io/region"
const betaZone = "failure-domain.beta.kubernetes.io/zone"
const betaRegion = "failure-domain.beta.kubernetes.io/region"

describe("the zone of a node", () => {
  it("is its region and its zone, with a NUL between them; nodes without either share one zone", () => {
    assert.strictEqual(zoneKeyOf({ [zone]: "z", [region]: "r" }), "r:\u0000:z")
    assert.strictEqual(zoneKeyOf({ [zone]: "z" }), ":\u0000:z")
    assert.strictEqual(zoneKeyOf({ [region]: "r" }), "r:\u0000:")
    assert.strictEqual(zoneKeyOf({ other: "x" }), "")
    assert.strictEqual(zoneKeyOf(undefined), "")
  })

  it("is read from a beta label where there is one, even an empty one", () => {
    assert.strictEqual(zoneKeyOf({ [zone]: "z", [betaZone]: "b", [region]: "r", [betaRegion]: "c" }), "c:\u0000:b")
    assert.strictEqual(zoneKeyOf({ [zone]: "z", [betaZone]: "", [region]: "r" }), "r:\u0000:")
    assert.strictEqual(zoneKeyOf({ [zone]: "z", [betaZone]: "", [region]: "r", [betaRegion]: "" }), "")
  })

  it("is taken apart again", () => {
    for (const names of [
      { region: "r", zone: "z" },
      { region: "", zone: "z" },
      { region: "r", zone: "" }
    ]) {
      assert.deepStrictEqual(zoneNames(zoneKeyOf({ [region]: names.region, [zone]: names.zone })), names)
    }
    assert.deepStrictEqual(zoneNames(""), { region: "", zone: "" })
    assert.deepStrictEqual(zoneNames("z"), { region: "", zone: "z" })
  })
})
