import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  addQuantity,
  amountOf,
  approximateValue,
  canonicalQuantity,
  compareQuantity,
  decimalText,
  formatQuantity,
  makeMilliQuantity,
  makeQuantity,
  milliValue,
  negateQuantity,
  parseQuantity,
  roundUpQuantity,
  scaledValue,
  subtractQuantity,
  value
} from "../src/index.ts"
import { hasWholeMilli, multiplyQuantity } from "../src/quantity/Quantity.ts"

const suffix = fc.constantFrom(
  "n",
  "u",
  "m",
  "",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "e3",
  "e-3",
  "E2"
)
const digits = fc.stringMatching(/^[0-9]{1,12}(\.[0-9]{0,6})?$/)
const text = fc.tuple(fc.constantFrom("", "-", "+"), digits, suffix).map((parts) => parts.join(""))

/** The value in 10^-9 parts, from the text alone: the ruler that the fast and the big path are both held to. */
const nanos = (quantity: string): bigint => {
  const [whole = "", fraction = ""] = decimalText(amountOf(quantity)).replace("-", "").split(".")
  const magnitude = BigInt(whole + fraction.padEnd(9, "0"))
  return quantity.startsWith("-") ? -magnitude : magnitude
}

const compareBig = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)

describe("quantities", () => {
  it("keep their value through the canonical text", () => {
    fc.assert(
      fc.property(text, (quantity) => {
        const canonical = canonicalQuantity(quantity)
        assert.strictEqual(compareQuantity(canonical, quantity), 0)
        assert.strictEqual(canonicalQuantity(canonical), canonical)
      })
    )
  })

  it("keep their value through the serialised text", () => {
    fc.assert(
      fc.property(text, (quantity) => {
        assert.strictEqual(compareQuantity(formatQuantity(quantity), quantity), 0)
      })
    )
  })

  it("compare, add and subtract as the exact numbers do", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.strictEqual(compareQuantity(a, b), compareBig(nanos(a), nanos(b)))
        const sum = addQuantity(a, b)
        assert.strictEqual(compareQuantity(subtractQuantity(sum, b), a), 0)
        assert.strictEqual(compareQuantity(sum, addQuantity(b, a)), 0)
        assert.strictEqual(compareQuantity(negateQuantity(sum), addQuantity(negateQuantity(a), negateQuantity(b))), 0)
      })
    )
  })

  it("of common sizes round away from zero", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (milli) => {
        const amount = makeMilliQuantity(milli)
        const expected = Math.sign(milli) * Math.ceil(Math.abs(milli) / 1000)
        assert.strictEqual(value(amount), expected + 0)
        assert.strictEqual(milliValue(amount), milli)
        assert.strictEqual(value(roundUpQuantity(amount, 0).amount), expected + 0)
        assert.strictEqual(roundUpQuantity(amount, 0).exact, milli % 1000 === 0)
      })
    )
  })

  it("read whole numbers without bigint", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (whole) => {
        assert.typeOf(amountOf(whole).unscaled, "number")
        assert.strictEqual(value(makeQuantity(whole)), whole)
      })
    )
  })

  it("never lose a carry at the ends of the number range", () => {
    const most = String(Number.MAX_SAFE_INTEGER)
    assert.strictEqual(canonicalQuantity(addQuantity(most, "1")), "9007199254740992")
    assert.strictEqual(canonicalQuantity(addQuantity(most, "2")), "9007199254740993")
    assert.strictEqual(compareQuantity("9007199254740993", "9007199254740992"), 1)
    assert.strictEqual(decimalText(addQuantity("9223372036854775807", "1n")), "9223372036854775807.000000001")
    assert.strictEqual(canonicalQuantity(multiplyQuantity("4Ei", 2)), "8Ei")
  })

  it("beyond E are printed with an exponent, not truncated", () => {
    assert.strictEqual(canonicalQuantity("1000E"), "1e21")
    assert.strictEqual(compareQuantity("1e21", "1000E"), 0)
  })

  it("read blanks around the text and bare JSON numbers", () => {
    assert.strictEqual(canonicalQuantity(" 1Gi "), "1Gi")
    assert.strictEqual(canonicalQuantity(1.5), "1500m")
    assert.strictEqual(compareQuantity(1e21, "1000E"), 0)
  })

  it("report the invalid part of a text", () => {
    const reason = (wrong: string) => Result.getOrThrow(Result.flip(parseQuantity(wrong))).reason
    assert.strictEqual(reason("1 Gi"), "format")
    assert.strictEqual(reason("1KK"), "suffix")
    // Too long for the fast form, and without a digit for the other.
    assert.strictEqual(reason(".Pi"), "numeric")
    assert.strictEqual(reason("1e999999999999"), "suffix")
    assert.throws(() => amountOf("nonsense"), /regular expression/)
  })

  it("scale to other units", () => {
    assert.strictEqual(scaledValue("1Gi", 6), 1074)
    assert.strictEqual(approximateValue("1500m"), 1.5)
    assert.strictEqual(approximateValue("1Ki"), 1024)
  })

  it("end where int64 does", () => {
    assert.strictEqual(value("1e4096"), 2 ** 63)
    assert.strictEqual(value("-1e400"), -(2 ** 63))
    assert.strictEqual(scaledValue("1e400", -6) - scaledValue("1e401", -6), 0)
    assert.strictEqual(value(`${"9".repeat(400)}.5`), 2 ** 63)
  })

  it("count as whole where Go's thousandths in an int64 are", () => {
    for (const whole of ["3", "3000m", "0", "1e3", "1e19", "1e400", "-1e400", "9223372036854775807Gi"]) {
      assert.isTrue(hasWholeMilli(whole), whole)
    }
    const broken = [
      "3m",
      "0.5",
      "1n",
      "123456789012345.5",
      "10000000000000001",
      "9999999999999999.5",
      "12345678901234567891"
    ]
    for (const each of broken) assert.isFalse(hasWholeMilli(each), each)
  })
})
