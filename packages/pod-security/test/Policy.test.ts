import { assert, describe, it } from "vitest"
import {
  compareLevels,
  formatLevelVersion,
  isPrivileged,
  isSamePolicy,
  type Mode,
  modes,
  type Policy,
  parseVersion,
  policyOf,
  privilegedPolicy
} from "../src/index.ts"

const labelled = (labels: Readonly<Record<string, string>>, defaults: Policy = privilegedPolicy) =>
  policyOf(
    Object.fromEntries(Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value])),
    defaults
  )

const shown = ({ policy }: ReturnType<typeof policyOf>) =>
  modes.map((mode: Mode) => formatLevelVersion(policy[mode])).join(" ")

describe("policyOf", () => {
  it.each([
    ["privileged:latest privileged:latest privileged:latest", {}],
    ["baseline:latest privileged:latest baseline:latest", { enforce: "baseline" }],
    ["baseline:v1.20 privileged:latest baseline:v1.20", { enforce: "baseline", "enforce-version": "v1.20" }],
    [
      "baseline:v1.20 privileged:latest baseline:v1.30",
      { enforce: "baseline", "enforce-version": "v1.20", "warn-version": "v1.30" }
    ],
    ["baseline:latest privileged:latest privileged:latest", { enforce: "baseline", warn: "privileged" }],
    [
      "baseline:latest restricted:v1.2 restricted:latest",
      { enforce: "baseline", audit: "restricted", "audit-version": "v1.2", warn: "restricted" }
    ],
    ["privileged:v1.20 privileged:latest privileged:latest", { "enforce-version": "v1.20" }]
  ])("is %s for %o", (expected, labels) => assert.strictEqual(shown(labelled(labels)), expected))

  it("is strict where a label has an error, and neither notes nor warns", () => {
    const result = labelled({
      enforce: "x",
      audit: "",
      warn: "Baseline",
      "enforce-version": "1.2",
      "audit-version": "v2.0",
      "warn-version": "v1.01"
    })
    assert.strictEqual(shown(result), "restricted:latest privileged:latest privileged:latest")
    assert.deepStrictEqual(
      result.errors.map(({ label, message, value }) => [
        label.replace("pod-security.kubernetes.io/", ""),
        value,
        message
      ]),
      [
        ["enforce", "x", "must be one of privileged, baseline, restricted"],
        ["enforce-version", "1.2", 'must be "latest" or "v1.x"'],
        ["audit", "", "must be one of privileged, baseline, restricted"],
        ["audit-version", "v2.0", 'must be "latest" or "v1.x"'],
        ["warn", "Baseline", "must be one of privileged, baseline, restricted"],
        ["warn-version", "v1.01", 'must be "latest" or "v1.x"']
      ]
    )
  })

  it("takes what no label says from the defaults", () => {
    const defaults = labelled({ enforce: "restricted", "enforce-version": "v1.9", audit: "baseline" }).policy
    assert.strictEqual(shown(labelled({}, defaults)), "restricted:v1.9 baseline:latest restricted:v1.9")
    assert.strictEqual(
      shown(labelled({ enforce: "restricted", "enforce-version": "v1.30" }, defaults)),
      "restricted:v1.30 baseline:latest restricted:v1.9"
    )
    assert.strictEqual(
      shown(labelled({ enforce: "baseline" }, defaults)),
      "baseline:v1.9 baseline:latest restricted:v1.9"
    )
  })
})

describe("levels and versions", () => {
  it("compare by strictness", () => {
    assert.isAbove(compareLevels("restricted", "baseline"), 0)
    assert.isBelow(compareLevels("privileged", "baseline"), 0)
    assert.strictEqual(compareLevels("baseline", "baseline"), 0)
  })

  it.each(["latest", "v1.0", "v1.36", "v1.9223372036854775807"])("has the version %s", (text) =>
    assert.strictEqual(parseVersion(text), text)
  )

  it.each(["", "v1", "v1.", "1.2", "v2.1", "v1.01", "v1.-1", "V1.1", "v1.2 ", "v1.9223372036854775808"])(
    "has no version %o",
    (text) => assert.isUndefined(parseVersion(text))
  )

  it("are the same if both allow everything", () => {
    const other = labelled({ "enforce-version": "v1.20" }).policy
    assert.isTrue(isPrivileged(other))
    assert.isTrue(isSamePolicy(other, privilegedPolicy))
    assert.isFalse(isSamePolicy(labelled({ audit: "baseline" }).policy, privilegedPolicy))
  })
})
