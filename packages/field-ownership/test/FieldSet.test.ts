import { assert, describe, it } from "@effect/vitest"
import { runAllSteps } from "@rollcall/time"
import * as fc from "fast-check"
import { FieldSetBuilder, PathTrail } from "../src/FieldSetBuilder.ts"
import {
  difference,
  type FieldSet,
  intersection,
  readFieldSet,
  recursiveDifference,
  sorted,
  union,
  unionAll,
  visitPaths
} from "../src/fieldSet.ts"
import { printPath } from "../src/pathElement.ts"
import { elementOf, type ListSchema } from "../src/schema.ts"

const element = fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', 'k:{"port":80}', 'k:{"port":443}', 'v:"s"')
const path = fc.array(element, { minLength: 1, maxLength: 4 })
const paths = fc.array(path, { maxLength: 8 })

const setOf = (given: ReadonlyArray<ReadonlyArray<string>>): FieldSet => {
  const set = new FieldSetBuilder()
  const trail = new PathTrail([set])
  for (const each of given) {
    for (const element of each) trail.enter(element)
    set.add(trail.path)
    for (const _ of each) trail.leave()
  }
  return runAllSteps(set.build())
}

const textsOf = (set: FieldSet): ReadonlyArray<string> => {
  const texts: Array<string> = []
  visitPaths(set, (each) => texts.push(each.join(" ")))
  return texts
}

const pathTexts = (given: ReadonlyArray<ReadonlyArray<string>>) => new Set(given.map((each) => each.join(" ")))
const assertSameSet = (set: FieldSet, expected: ReadonlySet<string>) => {
  assert.deepStrictEqual([...textsOf(set)].sort(), [...expected].sort())
  // The order is that of fieldsV1, whatever operations made the set.
  assert.strictEqual(JSON.stringify(set), JSON.stringify(sorted(set)))
}

describe("field sets", () => {
  it("equal the sets of their paths", () => {
    fc.assert(fc.property(paths, (given) => assertSameSet(setOf(given), pathTexts(given))))
  })

  it("have the operations of sets", () => {
    fc.assert(
      fc.property(paths, paths, (first, second) => {
        const [left, right] = [setOf(first), setOf(second)]
        const [lefts, rights] = [pathTexts(first), pathTexts(second)]
        assertSameSet(union(left, right), new Set([...lefts, ...rights]))
        assertSameSet(difference(left, right), new Set([...lefts].filter((each) => !rights.has(each))))
        assertSameSet(intersection(left, right), new Set([...lefts].filter((each) => rights.has(each))))
        const isBelow = (each: string) => [...rights].some((other) => each === other || each.startsWith(`${other} `))
        assertSameSet(recursiveDifference(left, right), new Set([...lefts].filter((each) => !isBelow(each))))
      })
    )
  })

  it("have the same union as one after the other", () => {
    fc.assert(
      fc.property(fc.array(paths, { maxLength: 5 }), (given) => {
        const sets = given.map(setOf)
        assert.strictEqual(JSON.stringify(unionAll(sets)), JSON.stringify(sets.reduce(union, {})))
      })
    )
  })

  it("can contain and join forty thousand fields of as many managers", { timeout: 20_000 }, () => {
    const fields = Array.from({ length: 40_000 }, (_, index) => ["f:data", `f:key-${index}`])
    const all = setOf(fields)
    assert.strictEqual(Object.keys(all["f:data"] ?? {}).length, fields.length)
    const joined = unionAll(fields.slice(0, 8000).map((each) => setOf([each])))
    assert.strictEqual(Object.keys(joined["f:data"] ?? {}).length, 8000)
    const keys = Object.fromEntries(fields.map((_, index) => [`k:{"port":${fields.length - index}}`, {}]))
    assert.strictEqual(Object.keys(readFieldSet(keys) ?? {})[0], 'k:{"port":1}')
  })

  it("return the same value when nothing changes", () => {
    fc.assert(
      fc.property(paths, paths, (first, second) => {
        const left = setOf(first)
        const both = union(left, setOf(second))
        assert.strictEqual(union(both, left), both)
        assert.strictEqual(difference(left, {}), left)
      })
    )
  })

  it("order elements as Kubernetes does: fields, keys by value, values", () => {
    const set = setOf([['v:"s"'], ['k:{"port":443}'], ['k:{"port":80}'], ["f:b"], ["f:a", "f:c"], ["f:a"]])
    assert.strictEqual(
      JSON.stringify(set),
      '{"f:a":{".":{},"f:c":{}},"f:b":{},"k:{\\"port\\":80}":{},"k:{\\"port\\":443}":{},"v:\\"s\\"":{}}'
    )
  })

  it("print paths as messages do", () => {
    const path = ["f:spec", "f:ports", 'k:{"containerPort":80,"protocol":"TCP"}', 'v:"x"', "i:2"]
    assert.strictEqual(printPath(path), '.spec.ports[containerPort=80,protocol="TCP"][="x"][2]')
  })

  it("write elements as Go does, which escapes more than JSON needs", () => {
    const list: ListSchema = { form: "list", items: { form: "leaf" } as ListSchema["items"], keys: [] }
    assert.strictEqual(elementOf(list, "<é&>"), 'v:"\\u003cé\\u0026\\u003e"')
    assert.strictEqual(elementOf(list, "\b\f\n\u2028\u007f"), 'v:"\\u0008\\u000c\\n\\u2028\u007f"')
    assert.strictEqual(elementOf(list, "\\b\\\\f"), 'v:"\\\\b\\\\\\\\f"')
    assert.strictEqual(printPath(['k:{"name":"\\u003c\u007f"}', 'v:"\\u0026"']), '[name="<\\x7f"][="&"]')
  })

  it("read elements of a client as Go does, which writes them anew", () => {
    const written = (element: string) => Object.keys(readFieldSet({ "f:x": { [element]: {} } })?.["f:x"] ?? {})
    for (const [given, expected] of [
      ['k:{"name":"<a>"}', 'k:{"name":"\\u003ca\\u003e"}'],
      ['k:{ "name" : "\\u0061" }', 'k:{"name":"a"}'],
      ['k:{"b":1,"a":"<"}', 'k:{"a":"\\u003c","b":1}'],
      ['v:{"b":"<","a":1}', 'v:{"a":1,"b":"\\u003c"}'],
      ["v:1.0", "v:1"],
      ["v:1e3", "v:1000"],
      ['k:{"a":1.50}', 'k:{"a":1.5}'],
      ['k:{"a":{"z":"&","b":[1, 2]}}', 'k:{"a":{"b":[1,2],"z":"\\u0026"}}'],
      ["i:01", "i:1"],
      ["v:null", "v:null"]
    ] as const)
      assert.deepStrictEqual(written(given), [expected])
  })

  it("refuse invalid fields of a client", () => {
    for (const bad of [{ a: {} }, { "f:a": 1 }, { "k:x": {} }, { "v:": {} }, { "i:x": {} }, [], "f:a"]) {
      assert.isUndefined(readFieldSet(bad))
    }
    assert.deepStrictEqual(readFieldSet({ "f:b": {}, "f:a": {} }), { "f:a": {}, "f:b": {} })
    assert.deepStrictEqual(readFieldSet({ "x:y": 1, "f:a": { "z:": {} } }), { "f:a": {} })
  })
})
