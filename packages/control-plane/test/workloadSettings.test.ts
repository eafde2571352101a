import { defaultRelease } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { workloadSettings } from "../src/index.ts"
import { workloadConfigsOf } from "../src/settings/workloads.ts"

const fieldsOf = (given: Parameters<typeof workloadConfigsOf>[0]) => {
  const { autoscalers, legacyTokens, quotas } = workloadConfigsOf(given, defaultRelease)
  return new Map([
    ...Object.entries(legacyTokens).map(([name, value]) => [`legacyTokens.${name}`, value] as const),
    ...Object.entries(quotas).map(([name, value]) => [`quotas.${name}`, value] as const),
    ...Object.entries(autoscalers).map(([name, value]) => [`autoscalers.${name}`, value] as const)
  ])
}

describe("the settings of the workload controllers", () => {
  it("each set one field of one controller, and together all", () => {
    const usual = fieldsOf({})
    const set = Object.keys(workloadSettings).map((key) => {
      const changed = [...fieldsOf({ [key]: 7 })].filter(([name, value]) => value !== usual.get(name))
      assert.lengthOf(changed, 1, key)
      assert.strictEqual(changed[0]?.[1], 7)
      return changed[0]?.[0]
    })
    assert.sameMembers(set, [...usual.keys()])
  })
})
