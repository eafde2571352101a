import { assert, describe, it } from "@effect/vitest"
import { compare } from "../src/compare.ts"
import { maskDocumentation } from "../src/explain.ts"
import { jsonDocuments } from "../src/jsonDocuments.ts"
import { normaliseData, normaliseText } from "../src/normalise.ts"
import { patternOf, replaceAll } from "../src/pattern.ts"
import { makePlaceholders } from "../src/placeholders.ts"
import { recordedJson } from "../src/recordedJson.ts"
import { fill, valueAt } from "../src/template.ts"
import { unifiedDiff } from "../src/unifiedDiff.ts"

const nowMs = Date.UTC(2026, 5, 15, 12)
const placeholders = makePlaceholders({
  namespace: "t-abc",
  server: "https://127.0.0.1:6443",
  nowMs,
  generated: ["web-"]
})
const text = (given: string, options = {}) => normaliseText(given, placeholders, options)

describe("placeholders", () => {
  it("match values that differ between runs, and no others", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["2026-06-15T11:59:00Z", "<TIME>"],
      ["2021-03-04T05:06:08Z", "2021-03-04T05:06:08Z"],
      ["Mon, 15 Jun 2026 11:59:00 +0000", "<TIME>"],
      ["2026-06-15 11:59:00.123 +0000", "<TIME>"],
      ["https://127.0.0.1:6443/api and 127.0.0.1:6443", "<SERVER>/api and <HOST>"],
      ["t-abc/p", "<NS>/p"],
      ["uid 0f8fad5b-d9cb-469f-a165-70867728950e", "uid <UID>"],
      ["web-7c5ddbdf54-x2x9b web-x2x9b web-server", "web-<HASH>-<SUFFIX> web-<SUFFIX> web-server"],
      ['"resourceVersion": "42"', '"resourceVersion": "<RV>"'],
      ["Ready (5m2s ago)", "Ready (<AGE> ago)"]
    ]
    for (const [given, then] of cases) assert.strictEqual(text(given), then)
  })

  it("keep the width of a column of ages, and all other whitespace", () => {
    const given = "NAME   AGE     LABELS\nn-a    5m10s   a=1\nn-b    3s      <none>\n"
    assert.strictEqual(text(given), "NAME   AGE     LABELS\nn-a    <AGE>   a=1\nn-b    <AGE>   <none>\n")
    assert.notStrictEqual(text(given.replace("NAME  ", "NAME ")), text(given))
    assert.strictEqual(
      text("LAST SEEN            TYPE\n2s (x3 over 5m)      Normal\n"),
      "LAST SEEN               TYPE\n<AGE> (x3 over <AGE>)   Normal\n"
    )
    assert.strictEqual(
      text("p     1/1   Running   0     4s\n", { argv: ["--no-headers"] }),
      "p     1/1   Running   0     <AGE>\n"
    )
  })

  it("in data are chosen by the name of the field", () => {
    const data = { metadata: { resourceVersion: "7", managedFields: [1], continue: "" }, gitVersion: "v1", x: "7" }
    assert.deepStrictEqual(normaliseData(data, placeholders, false), {
      metadata: { resourceVersion: "<RV>", continue: "" },
      gitVersion: "<VERSION>",
      x: "7"
    })
    assert.deepStrictEqual(normaliseData({ resourceVersion: "0" }, placeholders, false), { resourceVersion: "0" })
    const table = {
      kind: "Table",
      columnDefinitions: [{ name: "Age", description: "words" }],
      rows: [{ cells: ["p", "3d", 3] }]
    }
    assert.deepStrictEqual(normaliseData(table, placeholders, false), {
      kind: "Table",
      columnDefinitions: [{ name: "Age", description: "<DOC>" }],
      rows: [{ cells: ["p", "<AGE>", 3] }]
    })
  })
})

describe("the text operations of a step", () => {
  it("are applied in order", () => {
    assert.strictEqual(text("b   1\na  2\n", { loose: true, sorted: true }), "a   2\nb   1\n")
    assert.strictEqual(text("was 12\nx\n", { mask: [["was (\\d)\\d", "was \\1$"]], only: "^was" }), "was 1$\n")
    assert.strictEqual(replaceAll("A\nB", "(?s)A.B", "x"), "x")
    assert.isTrue(patternOf("(?m)^B$").test("A\nB\n"))
  })

  it("reduce an explanation to its fields", () => {
    const given =
      "KIND:       Node\n\nDESCRIPTION:\n    Words of\n    many.\n    \nFIELDS:\n  spec\t<NodeSpec>\n    Other words.\n\n"
    assert.strictEqual(
      maskDocumentation(given),
      "KIND:       Node\n\nDESCRIPTION:\n    <DOC>\n\nFIELDS:\n  spec\t<NodeSpec>\n    <DOC>\n"
    )
  })
})

describe("a difference", () => {
  it("is shown as a unified diff", () => {
    const from = ["1", "2", "3", "4", "5", "6", "7", "8", "9"]
    const to = ["1", "2", "3", "4", "x", "6", "7", "8", "9", "10"]
    assert.strictEqual(unifiedDiff(from, to), "@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n 9\n+10")
    assert.strictEqual(unifiedDiff(from, from), "")
    assert.strictEqual(unifiedDiff([], ["a"]), "@@ -0,0 +1 @@\n+a")
  })

  it("ignores the order of fields, but not the final newline", () => {
    assert.isUndefined(compare("c", { a: 1, b: [2] }, { b: [2], a: 1 }))
    assert.include(compare("c", "a\n", "a"), "final newline only")
    assert.include(compare("c", { a: 1 }, { a: 1, b: null }), '+ "b": null')
  })
})

describe("values", () => {
  it("are read from streams of documents", () => {
    assert.deepStrictEqual(jsonDocuments('{"a":"}"}\n[1]{"b":"\\""}\n3\n'), [{ a: "}" }, [1], { b: '"' }, 3])
    assert.isUndefined(jsonDocuments("ok"))
  })

  it("replace placeholders, as a whole value or within a text", () => {
    const variables = new Map<string, string | number>([["n", 3]])
    assert.deepStrictEqual(fill({ "k-{{n}}": ["{{n}}", "a{{n}}{{m}}"] } as unknown, variables), {
      "k-3": [3, "a3{{m}}"]
    })
    assert.strictEqual(valueAt({ a: [{ b: 1 }] }, "a.0.b"), 1)
    assert.isNull(valueAt({ a: [] }, ["a", "0", "b"]))
  })
})

describe("numbers", () => {
  it("keep all digits that JavaScript would lose", () => {
    const [large] = jsonDocuments('{"i": 9223372036854775807}') ?? []
    const [other] = jsonDocuments('{"i": 9223372036854775806}') ?? []
    assert.isUndefined(compare("a", large ?? null, normaliseData(fill(large ?? null, new Map()), placeholders, false)))
    assert.match(compare("a", large ?? null, other ?? null) ?? "", /-\s*"i": 9223372036854775807/)
    assert.strictEqual(recordedJson(large ?? null), '{"i": 9223372036854775807}')
  })
})
