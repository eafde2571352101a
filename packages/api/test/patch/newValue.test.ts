import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Json } from "../../src/patch/index.ts"
import { elementFinder } from "../../src/patch/listOrder.ts"
import { newValue } from "../../src/patch/newValue.ts"

const { value } = fc.letrec<{ value: Json; map: Record<string, Json> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, 1, "a", true),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("map")
  ),
  map: fc.dictionary(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom("a", "b", "c") }, fc.constant("$patch")),
    tie("value"),
    {
      maxKeys: 3
    }
  )
}))

/** The rule, told member by member: first nulls go, then whatever still has a directive. */
const stored = (json: Json): Json | undefined => {
  if (Array.isArray(json)) return (json as ReadonlyArray<Json>).map(stored).filter((child) => child !== undefined)
  if (typeof json !== "object" || json === null) return json
  const members = Object.entries(json).filter(([, child]) => child !== null)
  if (members.some(([key]) => key === "$patch")) return undefined
  return Object.fromEntries(
    members.flatMap(([key, child]) => {
      const kept = stored(child as Json)
      return kept === undefined ? [] : [[key, kept]]
    })
  )
}

describe("newValue", () => {
  it("leaves out nulls of maps and maps with directives, and is the value itself where it has none", () => {
    fc.assert(
      fc.property(value, (json) => {
        const kept = newValue(json)
        assert.deepStrictEqual(kept, stored(json))
        if (JSON.stringify(kept) === JSON.stringify(json)) assert.strictEqual(kept, json)
      })
    )
  })
})

describe("elementFinder", () => {
  it("finds the first element with an identity, in lists of any length that grow meanwhile", () => {
    const names = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 12 })
    fc.assert(
      fc.property(names, names, fc.constantFrom(8, 100), ([...before], after, length) => {
        const list: Array<Json> = before.map((type) => ({ type }))
        const find = elementFinder(list, length, "type")
        for (const type of after) {
          const at = before.indexOf(type)
          assert.strictEqual(find(type), at < 0 ? undefined : at)
          before.push(type)
          list.push({ type })
        }
        list.push({ other: "x" }, "y")
        assert.isUndefined(find("z"))
      })
    )
  })
})
