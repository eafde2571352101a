import { assert, describe, it } from "vitest"
import { unstructuredError, wireTypeOf, withCutIntegers } from "../../src/wire/index.ts"

// As the converter of kube-apiserver v1.36.2 does it with the result of a strategic merge patch.
describe("bytes in an untyped object", () => {
  const secret = wireTypeOf("Secret")
  const faultOf = (a: unknown) => unstructuredError(secret, { data: { a } })

  it("are a text in base64, or numbers", () => {
    assert.isUndefined(faultOf("YQ=="))
    assert.isUndefined(faultOf([1, 2, null, 300, 4]))
    assert.strictEqual(faultOf([{}]), "unrecognized type: uint8")
    assert.strictEqual(faultOf([1, "a"]), "unrecognized type: uint8")
    assert.strictEqual(faultOf([true]), "unrecognized type: uint8")
    assert.strictEqual(faultOf([1.5]), "cannot convert float64 to uint8")
    assert.strictEqual(faultOf(1), "cannot restore slice from int64")
  })

  it("keep the low bits of a number", () => {
    assert.deepStrictEqual(withCutIntegers(secret, { data: { a: [1, 300, -1, null] } }), {
      data: { a: [1, 44, 255, null] }
    })
  })
})
