import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { formatIP, parseIP } from "../src/validation/index.ts"

const parseAndFormat = (text: string) => {
  const address = parseIP(text)
  return address === undefined ? undefined : formatIP(address)
}

describe("formatIP", () => {
  it("prints IPv6 as URLs do: lower case, the first of the longest runs of zeros omitted", () => {
    const group = fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const text = groups.map((value) => value.toString(16).padStart(4, "0")).join(":")
        if (/^(0000:){5}ffff/.test(text)) return
        assert.strictEqual(`[${parseAndFormat(text)}]`, new URL(`http://[${text}]`).hostname)
      })
    )
  })

  it("prints IPv4, also mapped addresses", () => {
    assert.strictEqual(parseAndFormat("01.2.3.004"), "1.2.3.4")
    assert.strictEqual(parseAndFormat("::ffff:1.2.3.4"), "1.2.3.4")
    assert.strictEqual(parseAndFormat("::"), "::")
    assert.strictEqual(parseAndFormat("1:0:0:2:0:0:0:3"), "1:0:0:2::3")
    assert.strictEqual(parseAndFormat("1:0:2:3:4:5:6:7"), "1:0:2:3:4:5:6:7")
  })
})
