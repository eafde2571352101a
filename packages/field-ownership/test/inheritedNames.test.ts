import { assert, describe, it } from "@effect/vitest"
import { wireTypeOf } from "@rollcall/api/wire"
import { compare } from "../src/compare.ts"
import { merge } from "../src/merge.ts"
import { structOf } from "../src/schema.ts"

const schema = structOf(wireTypeOf("ConfigMap"))
const untyped = { fullName: "x", name: "x", goPackage: "x", fields: new Map(), atomic: false, preserveUnknown: true }
const dataOf = (...names: ReadonlyArray<string>) => ({
  data: Object.fromEntries(names.map((name) => [name, "x"] as const))
})

/** Every object inherits these names. */
describe.each(["constructor", "toString", "__proto__"])("an entry named %s", (name) => {
  it("is added, and removed, as any other", () => {
    const [without, having] = [dataOf("a"), dataOf("a", name)]
    const path = { "f:data": { [`f:${name}`]: {} } }
    assert.deepStrictEqual(JSON.parse(JSON.stringify(compare(without, having, schema).added)), path)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(compare(having, without, schema).removed)), path)
  })

  it("is added to what has no schema", () => {
    const { added } = compare({ a: 1 }, { a: 1, ...Object.fromEntries([[name, 2]]) }, structOf(untyped))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(added)), { [`f:${name}`]: {} })
  })

  it("is applied", () => {
    assert.deepStrictEqual(merge(dataOf("a"), dataOf(name), schema), dataOf("a", name))
  })
})
