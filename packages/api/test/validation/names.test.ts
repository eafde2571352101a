import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  nameIsDNSSubdomain
} from "../../src/validation/index.ts"
import { byteLength, isConfigMapKey, isEnvVarName, isValidPortName } from "../../src/validation/names.ts"

const labelText = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)

describe("names", () => {
  it("counts bytes as UTF-8 does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        assert.strictEqual(byteLength(text), Buffer.byteLength(text, "utf8"))
      })
    )
  })

  it("accepts every DNS label, and labels joined by dots up to 253 characters", () => {
    fc.assert(
      fc.property(labelText, fc.array(labelText, { minLength: 1, maxLength: 3 }), (label, labels) => {
        assert.deepStrictEqual(isDNS1123Label(label), [])
        assert.deepStrictEqual(isDNS1123Subdomain(labels.join(".")), [])
      })
    )
  })

  it("limits a name as a whole, not its labels", () => {
    assert.deepStrictEqual(isDNS1123Subdomain("a".repeat(253)), [])
    assert.deepStrictEqual(isDNS1123Subdomain("a".repeat(254)), ["must be no more than 253 characters"])
  })

  it("reports length and pattern of a label together", () => {
    const faults = isDNS1123Label("A".repeat(64))
    assert.strictEqual(faults.length, 2)
    assert.strictEqual(faults[0], "must be no more than 63 characters")
  })

  it("counts the bytes, not the characters, of a label value", () => {
    assert.deepStrictEqual(isValidLabelValue("a".repeat(63)), [])
    assert.strictEqual(isValidLabelValue(`a${"é".repeat(32)}`)[0], "must be no more than 63 bytes")
  })

  it("has a general message for label keys with more than one slash", () => {
    const [fault, ...more] = isQualifiedName("a/b/c")
    assert.deepStrictEqual(more, [])
    assert.match(fault ?? "", /^a valid label key must consist of .* with an optional DNS subdomain prefix and '\/'/)
  })

  it("reports the prefix of a key before its name", () => {
    assert.deepStrictEqual(
      isQualifiedName("/").map((fault) => fault.slice(0, 40)),
      ["prefix part must be non-empty", "name part must be non-empty", "name part must consist of alphanumeric c"]
    )
  })

  it("lets a generateName end in a dash", () => {
    assert.deepStrictEqual(nameIsDNSSubdomain("web-", true), [])
    assert.strictEqual(nameIsDNSSubdomain("web-", false).length, 1)
    assert.strictEqual(nameIsDNSSubdomain("-", true).length, 1)
  })

  it.each([
    ["http", 0],
    ["", 2],
    ["80", 1],
    ["a--b", 1],
    ["-a", 1],
    ["Web", 1],
    ["abcdefghijklmnop", 1]
  ])("finds in the port name %j %i faults", (name, faults) => {
    assert.strictEqual(isValidPortName(name).length, faults)
  })

  it.each([
    ["A.b-c_d e#", true],
    ["a=b", false],
    ["é", false],
    ["a\tb", false],
    ["", false]
  ])("judges the environment variable %j: %s", (name, valid) => {
    assert.strictEqual(isEnvVarName(name).length === 0, valid)
  })

  it("refuses keys of config maps that are paths to a parent", () => {
    assert.deepStrictEqual(isConfigMapKey(".hidden"), [])
    assert.deepStrictEqual(isConfigMapKey(".."), ["must not be '..'"])
    assert.deepStrictEqual(isConfigMapKey("..data"), ["must not start with '..'"])
  })
})
