import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { exactNumber, holdsLiterals, parseExactly, parseLiterally } from "../src/exactJson.ts"
import { decodeJson, decodeValue, wireTypeOf } from "../src/wire/index.ts"

/** Integers of int64 that a number cannot hold. */
const large = ["9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"]
/** Numbers that are the same in a number. */
const exact = ["0", "-1", "9007199254740991", "1.5", "1e3", "0.1234567890123456"]

describe("exact JSON", () => {
  it.each(large)("keeps the digits of %s", (text) => {
    assert.strictEqual(parseExactly(text), BigInt(text))
    assert.strictEqual(exactNumber(text), BigInt(text))
    const json = `{"a":[${text},{"b":${text}}],"c":"1234567890123456"}`
    assert.strictEqual(JSON.stringify(parseExactly(json)), json)
  })

  it.each([...exact, "9223372036854775808", "1e21", "100000000000000000000", "1e16"])(
    "reads %s as a number",
    (text) => {
      assert.strictEqual(parseExactly(text), Number(text))
      assert.strictEqual(exactNumber(text), Number(text))
    }
  )

  it("finds a large integer wherever it is", () => {
    for (let before = 0; before < 40; before++) {
      const json = JSON.stringify({ a: "x".repeat(before) }).replace("}", `,"b":9007199254740993}`)
      assert.strictEqual(JSON.stringify(parseExactly(json)), json)
    }
  })

  it("writes numbers as Go does", () => {
    const text = "[1e21,0.1,1.0,100000000000000000000,1e-7,-0]"
    assert.strictEqual(JSON.stringify(parseExactly(text)), "[1e+21,0.1,1,100000000000000000000,1e-7,0]")
  })
})

describe("large integers of objects", () => {
  const decoded = (seconds: string, more = "") =>
    decodeJson(
      wireTypeOf("Pod"),
      `{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":[],"tolerations":[{"tolerationSeconds":${seconds}}]${more}}}`
    )
  const secondsOf = (result: ReturnType<typeof decoded>): unknown =>
    (Result.getOrThrow(result).value as { spec: { tolerations: Array<{ tolerationSeconds: unknown }> } }).spec
      .tolerations[0]?.tolerationSeconds

  it.each(large)("decode %s", (text) => {
    assert.strictEqual(secondsOf(decoded(text)), BigInt(text))
    // With an unknown field the text is read once more, step by step.
    assert.strictEqual(secondsOf(decoded(text, `,"x":1`)), BigInt(text))
    const again = decodeValue(wireTypeOf("Pod"), Result.getOrThrow(decoded(text)).value)
    assert.strictEqual(secondsOf(again), BigInt(text))
  })

  it.each(["9223372036854775808", "1e3", "1.0", "1.5", "100000000000000000000"])(
    "refuse %s with Go's message",
    (text) => {
      const result = decoded(text)
      assert.strictEqual(
        Result.isFailure(result) && result.failure,
        `json: cannot unmarshal number ${text} into Go struct field Toleration.spec.tolerations.tolerationSeconds of type int64`
      )
    }
  )

  it("decode data without a type", () => {
    const json = `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{},"revision":9007199254740993,"data":{"a":9223372036854775807}}`
    const { value } = Result.getOrThrow(decodeJson(wireTypeOf("ControllerRevision"), json))
    assert.strictEqual(JSON.stringify(value), json)
  })
})

describe("numbers of a patch", () => {
  it("keep a text that is not that of their value", () => {
    for (const text of ['{"a":1.0,"b":[1e3,9223372036854775808],"c":"1.0"}', '{"a":1.5,"b":9223372036854775807}']) {
      assert.strictEqual(JSON.stringify(parseLiterally(text)), text)
    }
    assert.isTrue(holdsLiterals(parseLiterally('{"a":[{"b":1.0}]}')))
    assert.isFalse(holdsLiterals(parseLiterally('{"a":[1.5,9223372036854775807,"1.0"]}')))
  })
})
