import { assert, describe, it } from "@effect/vitest"
import { familiesText, HealthSlis } from "../../src/index.ts"

describe("results of health checks", () => {
  it("are the last one, and counts by result", () => {
    const slis = new HealthSlis()
    assert.deepStrictEqual(slis.set.snapshot(), [])
    assert.isTrue(slis.record("ping", "livez", true))
    assert.isFalse(slis.record("ping", "livez", false))
    slis.record("ping", "livez", false)
    const lines = familiesText(slis.set.snapshot()).split("\n")
    assert.includeMembers(lines, [
      'kubernetes_healthcheck{name="ping",type="livez"} 0',
      'kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1',
      'kubernetes_healthchecks_total{name="ping",status="error",type="livez"} 2'
    ])
  })
})
