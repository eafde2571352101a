import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parseIdList } from "../../src/host/parse/idList.ts"
import { parseKeyValues } from "../../src/host/parse/keyValues.ts"
import { parseMemoryInfo } from "../../src/host/parse/memoryInfo.ts"
import { parsePrettyName } from "../../src/host/parse/osRelease.ts"
import { parseRunning } from "../../src/host/parse/processes.ts"
import { parseIPv4DefaultRoutes, parseIPv6DefaultRoutes } from "../../src/host/parse/routes.ts"
import { parseSwaps } from "../../src/host/parse/swaps.ts"

describe("lists of ids", () => {
  it("are ranges and single ids, in any order", () => {
    assert.deepStrictEqual(parseIdList("8,0-3"), [0, 1, 2, 3, 8])
    assert.deepStrictEqual(parseIdList("0"), [0])
  })
  it("are empty for missing and invalid text", () => {
    for (const text of [undefined, "", "x", "3-1"]) assert.deepStrictEqual(parseIdList(text), [])
  })
})

describe("memory", () => {
  it("is in bytes, of the machine or of a NUMA node", () => {
    const machine = parseMemoryInfo(
      "MemTotal:       24684084 kB\nActive(anon):       1572 kB\nHugePages_Total:       3"
    )
    assert.deepStrictEqual(Object.fromEntries(machine), { MemTotal: 25_276_502_016, "Active(anon)": 1_609_728 })
    assert.strictEqual(parseMemoryInfo("Node 1 MemTotal:        1024 kB").get("MemTotal"), 1_048_576)
  })
  it("of a control group is parsed as names and numbers", () => {
    assert.deepStrictEqual(Object.fromEntries(parseKeyValues("anon 12\nfile 34\nbroken line here\n")), {
      anon: 12,
      file: 34
    })
  })
})

describe("os-release", () => {
  it("gives the pretty name, with any quotes", () => {
    assert.strictEqual(parsePrettyName('ID=x\nPRETTY_NAME="A B 1"'), "A B 1")
    assert.strictEqual(parsePrettyName("PRETTY_NAME='A B'"), "A B")
    assert.strictEqual(parsePrettyName("PRETTY_NAME=Alpine"), "Alpine")
    assert.strictEqual(parsePrettyName("ID=x"), "Linux")
  })
})

describe("swaps", () => {
  it("are the lines after the heading", () => {
    assert.deepStrictEqual(parseSwaps(""), [])
    assert.deepStrictEqual(parseSwaps("Filename Type Size Used Priority\n"), [])
    assert.deepStrictEqual(parseSwaps("Filename Type Size Used Priority\n/dev/zram0 partition 8388604\t0\t100\n"), [
      { name: "/dev/zram0", size: 8_589_930_496 }
    ])
  })
})

describe("running processes", () => {
  it("follow the slash", () => {
    assert.strictEqual(parseRunning("0.81 0.63 1.47 1/99 24234"), 99)
    assert.strictEqual(parseRunning(""), undefined)
  })
})

describe("default routes", () => {
  it("are those to everywhere, last octet first", () => {
    const text =
      "Iface Destination Gateway Flags\neth0 00000000 010200C0 0003\neth0 000200C0 00000000 0001\nbroken\neth1 00000000 00000000 0001"
    assert.deepStrictEqual(parseIPv4DefaultRoutes(text), [
      { interface: "eth0", gateway: "192.0.2.1", family: 4 },
      { interface: "eth1", gateway: "0.0.0.0", family: 4 }
    ])
  })
  it("reverse the octets of gateways", () => {
    const octet = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
        const hex = octets.map((each) => each.toString(16).padStart(2, "0").toUpperCase())
        const [route] = parseIPv4DefaultRoutes(`eth0\t00000000\t${hex.reverse().join("")}\t0003`)
        assert.strictEqual(route?.gateway, octets.join("."))
      })
    )
  })
  it("of IPv6 need a gateway: without one they are the loopback's", () => {
    const none = "0".repeat(32)
    const row = (to: string, by: string, name: string) => `${to} 00 ${none} 00 ${by} 00000400 2 0 3     ${name}`
    const text = [
      row(none, "fd000000000000000000000000000001", "eth0"),
      row(none, none, "lo"),
      row("f".repeat(32), none, "x")
    ]
    assert.deepStrictEqual(parseIPv6DefaultRoutes(text.join("\n")), [
      { interface: "eth0", gateway: "fd00::1", family: 6 }
    ])
  })
})
