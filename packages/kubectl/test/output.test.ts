import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { parseDocument } from "yaml"
import { sorterOf } from "../src/output/sortBy.ts"
import { TabWriter } from "../src/output/TabWriter.ts"
import { toYaml } from "../src/output/yaml.ts"

describe("TabWriter", () => {
  const align = (text: string, remember = false) => {
    const writer = new TabWriter({ minWidth: 6, padding: 3, remember })
    writer.write(text)
    return writer.flush()
  }

  it("gives a column the width of its widest cell, and none to the last cell", () => {
    assert.strictEqual(align("NAME\tAGE\na-long-name\t5s\n"), "NAME          AGE\na-long-name   5s\n")
    assert.strictEqual(align("A\tB\tC\n1\t\t\n"), "A     B     C\n1           \n")
  })

  it("ends a column where a line has no cell there", () => {
    assert.strictEqual(align("a\tb\nwithout\nlonger-one\tc\n"), "a     b\nwithout\nlonger-one   c\n")
  })

  it("keeps widths between flushes", () => {
    const writer = new TabWriter({ minWidth: 6, padding: 3, remember: true })
    writer.write("a-long-name\tx\n")
    writer.flush()
    writer.write("b\ty\n")
    assert.strictEqual(writer.flush(), "b             y\n")
  })
})

describe("toYaml", () => {
  it("writes like Kubernetes' Go library", () => {
    const value = {
      b: ["x", { z: 1, a: [] }, ["n"]],
      a: { empty: {}, none: null },
      texts: {
        bool: "true",
        yes: "yes",
        int: "012",
        float: "1e3",
        time: "2021-03-04",
        empty: "",
        colon: "a: b",
        hash: "a #b",
        star: "*a",
        dash: "- a",
        quote: "it's"
      },
      lines: "one\ntwo\n",
      cut: "one\ntwo"
    }
    assert.strictEqual(
      toYaml(value),
      `a:
  empty: {}
  none: null
b:
- x
- a: []
  z: 1
- - "n"
cut: |-
  one
  two
lines: |
  one
  two
texts:
  bool: "true"
  colon: 'a: b'
  dash: '- a'
  empty: ""
  float: "1e3"
  hash: 'a #b'
  int: "012"
  quote: it's
  star: '*a'
  time: "2021-03-04"
  "yes": "yes"
`
    )
  })

  it("breaks long texts at blanks after column 80", () => {
    const text = `${"word ".repeat(18)}end`
    assert.strictEqual(toYaml({ k: text }), `k: ${"word ".repeat(15)}word\n  word word end\n`)
  })

  it("is parsed back to the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const read = parseDocument(toYaml(value))
        assert.deepStrictEqual(read.errors, [])
        assert.deepStrictEqual(JSON.parse(JSON.stringify(read.toJS())), JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 300 }
    )
  })
})

describe("sorterOf", () => {
  it("sorts numbers as numbers, also within texts, and objects without a value first", () => {
    const objects = [{ n: "n10" }, { n: "n2" }, {}, { n: "m" }]
    const sort = Result.getOrThrow(sorterOf("{.n}"))
    assert.deepStrictEqual(
      sort(objects, (object) => object),
      [{}, { n: "m" }, { n: "n2" }, { n: "n10" }]
    )
  })
})
