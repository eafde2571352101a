import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { stringify } from "yaml"
import { parseDocuments } from "../src/documents.ts"
import { findLines } from "../src/lines/findLine.ts"
import { formatPath } from "../src/Problem.ts"

const yaml = `# a fleet
spec:
  zones: &zones
    - a
    - b
  again: *zones
  labels:
    a.b/c: one
    a: { b: two }
    7: seven
  events:
    - at: 1m
      fault: crash
    -
      at: 2m
---
# nothing
---
spec: { seed: x,
  until: y }
`

describe("the line of a path", () => {
  const lineOf = findLines(yaml)

  it("is that of its key, or of its item of a list", () => {
    const lines = {
      spec: 2,
      "spec.zones": 3,
      "spec.zones[1]": 5,
      "spec.again[1]": 5,
      "spec.labels[7]": 10,
      "spec.events[0]": 12,
      "spec.events[0].fault": 13,
      "spec.events[1].at": 15,
      "document 1.spec.events[1].at": 15,
      "document 2.spec.until": 20,
      "document 2": 19
    }
    for (const [path, line] of Object.entries(lines)) assert.strictEqual(lineOf(path), line, path)
  })

  it("is read with the dots that keys contain", () => {
    assert.strictEqual(lineOf("spec.labels.a.b/c"), 8)
    assert.strictEqual(lineOf("spec.labels.a.b"), 9)
    assert.strictEqual(findLines("a.b: 1\na:\n  b.c: 2\n")("a.b.c"), 3)
    assert.strictEqual(findLines("a:\n  b.c: 2\na.b: 1\n")("a.b.c"), 2)
  })

  it("is that of the innermost object which should have it", () => {
    assert.strictEqual(lineOf("spec.events[0].nodes.zone"), 12)
    assert.strictEqual(lineOf("spec.events[9]"), 11)
    assert.strictEqual(lineOf("spec.event"), 2)
  })

  it("is not known where the document has nothing of it", () => {
    for (const path of ["metadata", "specs", "[0]", "document 3.spec"]) assert.isUndefined(lineOf(path), path)
  })

  it("is found in JSON, also in one of several documents, and for the last of equal keys", () => {
    assert.strictEqual(findLines('{\n\t"a": [\n\t\t1,\n\t\t2\n\t]\n}')("a[1]"), 4)
    const stream = findLines('{"a":1}\n{"a":1,\n"b":{\n"c":2}}\n{"d":3}')
    assert.strictEqual(stream("document 2.b.c"), 4)
    assert.strictEqual(stream("document 3.d"), 5)
    assert.strictEqual(findLines('{"a":1,\n"a":2}')("a"), 2)
  })

  it("contains the key or the value, wherever a value is", () => {
    const key = fc.stringMatching(/^[a-z][a-z./-]{0,5}$/)
    const tree = fc.letrec<{ value: unknown; record: Record<string, unknown> }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.stringMatching(/^[a-z]{1,8}$/),
        fc.integer(),
        tie("record"),
        fc.array(tie("value"), { maxLength: 3 })
      ),
      record: fc.dictionary(key, tie("value"), { maxKeys: 4 })
    }))
    const paths = (value: unknown, path: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
      typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([name, inner]) => [[...path, name], ...paths(inner, [...path, name])])
        : []
    const write = [(value: unknown) => stringify(value), (value: unknown) => JSON.stringify(value, null, 2)]
    fc.assert(
      fc.property(tree.record, fc.constantFrom(...write), (value, toText) => {
        const text = toText(value)
        const lines = text.split("\n")
        const [document] = Result.getOrThrow(parseDocuments("x.yaml", text))
        const lineOf = findLines(text)
        const written = paths(document?.value, [])
        const texts = written.map((path) => formatPath(path))
        for (const [index, path] of written.entries()) {
          // Keys with dots can make two paths look alike: which is meant then cannot be known.
          if (texts.indexOf(texts[index] ?? "") !== texts.lastIndexOf(texts[index] ?? "")) continue
          const line = lines[(lineOf(texts[index] ?? "") ?? 0) - 1] ?? ""
          const name = path.at(-1) ?? ""
          const inner = path.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document?.value)
          if (!/^\d+$/.test(name)) assert.include(line, name)
          else if (typeof inner !== "object") assert.include(line, String(inner))
          else assert.notStrictEqual(line, "")
        }
      })
    )
  })
})
