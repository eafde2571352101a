import { assert, describe, it } from "@effect/vitest"
import { endOfKeyPrefix, etcdKeyOf, type KeyRange, rangeOf, storeKeyOf } from "../src/internal/keys.ts"

const space = { root: "/registry/", prefix: "/rollcall/" }
const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)
const shown = (range: KeyRange | undefined) => range && [text(range.key), text(range.end)]

describe("keys in etcd", () => {
  it("have the prefix in place of the root, and come back", () => {
    const key = etcdKeyOf(space, "/registry/minions/node-1")
    assert.strictEqual(text(key), "/rollcall/minions/node-1")
    assert.strictEqual(storeKeyOf(space, key as Uint8Array), "/registry/minions/node-1")
    assert.strictEqual(etcdKeyOf(space, "/other/node-1"), undefined)
  })

  it("are bounded by a prefix, also one that contains the root", () => {
    assert.deepStrictEqual(shown(rangeOf(space, "/registry/pods/")), ["/rollcall/pods/", "/rollcall/pods0"])
    assert.deepStrictEqual(shown(rangeOf(space, "/registry/pods/", "/registry/pods/a")), [
      "/rollcall/pods/a\0",
      "/rollcall/pods0"
    ])
    for (const prefix of ["", "/", "/registry/"]) {
      assert.deepStrictEqual(shown(rangeOf(space, prefix)), ["/rollcall/", "/rollcall0"])
    }
    assert.strictEqual(rangeOf(space, "/other/"), undefined)
  })

  it("are all without root and prefix", () => {
    assert.deepStrictEqual(shown(rangeOf({ root: "", prefix: "" }, "")), ["\0", "\0"])
  })

  it("end after the last key of a prefix of bytes", () => {
    assert.deepStrictEqual([...endOfKeyPrefix(Uint8Array.of(1, 0xff, 0xff))], [2])
    assert.deepStrictEqual([...endOfKeyPrefix(Uint8Array.of(0xff))], [0])
  })
})
