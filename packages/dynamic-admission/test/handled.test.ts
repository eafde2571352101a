import { assert, describe, it } from "@effect/vitest"
import { isExempt, isHandledByPolicies } from "../src/handled.ts"

const group = "admissionregistration.k8s.io"

describe("the configuration of admission", () => {
  it.each<[plural: string, byPolicies: boolean]>([
    ["validatingwebhookconfigurations", true],
    ["mutatingwebhookconfigurations", true],
    ["validatingadmissionpolicies", false],
    ["validatingadmissionpolicybindings", false],
    ["mutatingadmissionpolicies", false],
    ["mutatingadmissionpolicybindings", false]
  ])("is handled by no webhook, and by policies only if it is of webhooks: %s", (plural, byPolicies) => {
    assert.isTrue(isExempt({ group }))
    assert.strictEqual(isHandledByPolicies({ group, plural }), byPolicies)
  })

  it("is not that of another group", () => {
    const other = { group: "other.example.com", plural: "validatingadmissionpolicies" }
    assert.deepStrictEqual([isExempt(other), isHandledByPolicies(other)], [false, true])
  })
})
