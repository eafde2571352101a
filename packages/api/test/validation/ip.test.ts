import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { ErrorList } from "../../src/validation/index.ts"
import { parseCIDR, parseIP, validateCIDR, validateIP } from "../../src/validation/ip.ts"

const fault = (check: (errors: ErrorList, value: string, path: string) => void, value: string): string | undefined => {
  const errors = new ErrorList()
  check(errors, value, "f")
  return errors.all[0]?.detail
}

const badIP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
const badCIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

describe("addresses", () => {
  it.each([
    ["10.1.2.3", undefined],
    ["255.255.255.255", undefined],
    ["2001:db8::1", undefined],
    ["::", undefined],
    ["1:2:3:4:5:6:7:8", undefined],
    ["64:ff9b::10.0.0.1", undefined],
    ["010.1.2.3", "must not have leading 0s"],
    ["::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"],
    ["", badIP],
    ["256.1.1.1", badIP],
    ["1.2.3", badIP],
    ["1.2.3.4.", badIP],
    ["1.2.3.4.5", badIP],
    ["fe80::1%eth0", badIP],
    ["1::2::3", badIP],
    ["1:2:3:4:5:6:7", badIP],
    ["1:2:3:4:5:6:7::8:9", badIP],
    ["12345::", badIP],
    ["1.2.3.4::", badIP]
  ])("%j: %s", (value, detail) => {
    assert.strictEqual(fault(validateIP, value), detail)
  })

  it("may keep a stored spelling", () => {
    const errors = new ErrorList()
    validateIP(errors, "010.1.2.3", "f", new Set(["010.1.2.3"]))
    assert.strictEqual(errors.size, 0)
  })

  it("reads every IPv4 address as its 32 bits", () => {
    const octet = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const bits = BigInt(a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d)
        assert.strictEqual(parseIP(`${a}.${b}.${c}.${d}`)?.bits, bits)
        assert.strictEqual(parseIP(`::ffff:${a}.${b}.${c}.${d}`)?.bits, bits | (0xffffn << 32n))
      })
    )
  })
})

describe("subnets", () => {
  it.each([
    ["10.0.0.0/8", undefined],
    ["0.0.0.0/0", undefined],
    ["fd00::/64", undefined],
    ["10.0.0.1/32", undefined],
    ["10.0.0.1/24", "must not have bits set beyond the prefix length"],
    ["fd00::1/64", "must not have bits set beyond the prefix length"],
    ["10.0.0.0/08", "must not have leading 0s in IP or prefix length"],
    ["010.0.0.0/8", "must not have leading 0s in IP or prefix length"],
    ["::ffff:10.0.0.0/104", "must not have an IPv4-mapped IPv6 address"],
    ["10.0.0.0/33", badCIDR],
    ["10.0.0.0", badCIDR],
    ["10.0.0.0/", badCIDR],
    ["10.0.0.0/-1", badCIDR],
    ["x/8", badCIDR]
  ])("%j: %s", (value, detail) => {
    assert.strictEqual(fault(validateCIDR, value), detail)
  })

  it("separates the length from the address", () => {
    assert.strictEqual(parseCIDR("fd00::/48")?.length, 48)
  })
})
