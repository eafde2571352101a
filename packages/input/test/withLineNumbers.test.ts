import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { readDocuments, withLineNumbers, withLineNumbersWhere } from "../src/documents.ts"
import { checkStrictly, invalid, missing, unknownAmong, unknownName, wrongChoice, wrongValue } from "../src/index.ts"
import { addLines } from "../src/lines/withLineNumbers.ts"

const check = checkStrictly(Schema.Struct({ zones: Schema.Int, seeds: Schema.optionalKey(Schema.Array(Schema.Int)) }))

const readChecked = (file: string) =>
  Effect.flatMap(readDocuments(file), ([document]) => Effect.fromResult(check(file, document?.value)))

const messageOf = <A, E extends { readonly message: string }>(
  effect: Effect.Effect<A, E, FileSystem.FileSystem>,
  files: Readonly<Record<string, string>>
) =>
  effect.pipe(
    Effect.provideService(
      FileSystem.FileSystem,
      FileSystem.makeNoop({ readFileString: (file) => Effect.succeed(files[file] ?? "") })
    ),
    Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "" }),
    Effect.runSync
  )

describe("problems of files that are read within withLineNumbers", () => {
  const wrong = { "a.yaml": "zones: 3\nseeds:\n  - 1\n  - x\n", "b.yaml": "\nzones: few\nzone: 1\n" }

  it("have the lines of their files", () => {
    assert.strictEqual(
      messageOf(withLineNumbers(readChecked("a.yaml")), wrong),
      'a.yaml:4: seeds[1]: found "x", expected number'
    )
    assert.strictEqual(
      messageOf(withLineNumbers(readChecked("b.yaml")), wrong),
      'b.yaml:3: zone: unknown field; did you mean "zones"?\nb.yaml:2: zones: found "few", expected number'
    )
  })

  it("have them from files that were read before, by an inner withLineNumbers too", () => {
    const late = readDocuments("b.yaml").pipe(
      withLineNumbers,
      Effect.andThen(Effect.fail(invalid("b.yaml", "zones", missing())))
    )
    assert.strictEqual(messageOf(withLineNumbers(late), wrong), "b.yaml:2: zones: is required")
  })

  it("have none outside, of other files, of values that the text does not have, and of a text of one line", () => {
    const told = 'a.yaml: seeds[1]: found "x", expected number'
    assert.strictEqual(messageOf(readChecked("a.yaml"), wrong), told)
    assert.strictEqual(
      messageOf(withLineNumbersWhere(({ path }) => path !== "seeds[1]")(readChecked("a.yaml")), wrong),
      told
    )
    const other = Effect.andThen(
      readDocuments("a.yaml"),
      Effect.fail(invalid("command line", "--zones", "is not a number"))
    )
    assert.strictEqual(messageOf(withLineNumbers(other), wrong), "command line: --zones: is not a number")
    assert.strictEqual(
      messageOf(withLineNumbers(readChecked("a.json")), { "a.json": '{"zones":"x"}\n' }),
      'a.json: zones: found "x", expected number'
    )
  })

  it("are told without it where the text is too long to be parsed for its lines", () => {
    const problem = invalid("a.json", "zones", missing())
    const text = `{ "zones":\n"${"x".repeat(1024 * 1024)}" }`
    assert.strictEqual(addLines([{ file: "a.json", text }])(problem).message, "a.json: zones: is required")
  })
})

describe("a problem's fields", () => {
  const fieldsOf = (wrong: Parameters<typeof invalid>[2]) => invalid("a", "b", wrong).problems[0]

  it("are what its sentence is made of", () => {
    assert.deepStrictEqual(fieldsOf(wrongChoice("buzy", ["quiet", "busy"])), {
      file: "a",
      path: "b",
      message: 'found "buzy", expected one of quiet, busy; did you mean "busy"?',
      found: '"buzy"',
      expected: "one of quiet, busy",
      nearest: "busy"
    })
    assert.deepStrictEqual(fieldsOf(wrongValue(7, "a text", { names: ["7"] })), {
      file: "a",
      path: "b",
      message: "found 7, expected a text",
      found: "7",
      expected: "a text"
    })
    assert.deepStrictEqual(fieldsOf(unknownName('no node "n-9" in this cluster', "n-9", ["n-8"])), {
      file: "a",
      path: "b",
      message: 'no node "n-9" in this cluster; did you mean "n-8"?',
      found: '"n-9"',
      nearest: "n-8"
    })
    assert.deepStrictEqual(Result.getOrThrow(Result.flip(check("f", { zone: 1 }))).problems, [
      {
        file: "f",
        path: "zone",
        message: 'unknown field; did you mean "zones"?',
        found: '"zone"',
        expected: "zones, seeds",
        nearest: "zones"
      },
      { file: "f", path: "zones", message: "is required" }
    ])
  })

  it("list the known names where none is similar, but no thousand of them", () => {
    const among = (known: ReadonlyArray<string>) => unknownAmong('no zone "b"', "b", known).message
    assert.strictEqual(among([]), 'no zone "b"; there are none')
    assert.strictEqual(among(["north", "south"]), 'no zone "b"; known here: north, south')
    const message = among(Array.from({ length: 1000 }, (_, index) => `zone-${index}`))
    assert.match(message, /zone-39, …$/)
  })
})
