import { assert, describe, it } from "vitest"
import { type Mutant, mutantsOf, notableMutants, type Report, scoreOf } from "../src/report.ts"

const source = "const isFull = (a: number, b: number) =>\n  a >= b\nconst name = 'x'\n"

const mutant = (status: string, line: number, from: number, to: number, replacement: string): Mutant => ({
  mutatorName: "EqualityOperator",
  replacement,
  status,
  location: { start: { line, column: from }, end: { line, column: to } }
})

const report: Report = {
  files: {
    "src/a.ts": {
      source,
      mutants: [
        mutant("NoCoverage", 3, 14, 17, '""'),
        mutant("Survived", 2, 3, 9, "a > b"),
        mutant("Killed", 2, 3, 9, "a < b"),
        mutant("Timeout", 2, 3, 9, "true"),
        mutant("Ignored", 3, 14, 17, '""'),
        mutant("RuntimeError", 3, 14, 17, '""')
      ]
    }
  }
}

describe("a report of mutants", () => {
  it("counts killed mutants, and leaves out ignored ones and compile errors", () => {
    assert.deepStrictEqual(scoreOf(mutantsOf(report)), { killed: 2, timedOut: 1, survived: 2, percent: 50 })
    assert.strictEqual(scoreOf([]).percent, 100)
  })

  it("never rounds a survivor away", () => {
    const killed = Array.from({ length: 999 }, () => mutant("Killed", 1, 1, 2, ""))
    assert.strictEqual(scoreOf([...killed, mutant("Survived", 1, 1, 2, "")]).percent, 99)
  })

  it("lists each survived and timed out mutant with file, line and change", () => {
    assert.deepStrictEqual(notableMutants(report), [
      "src/a.ts:2  EqualityOperator: a >= b → a > b",
      "src/a.ts:2  EqualityOperator (ran out of time): a >= b → true",
      "src/a.ts:3  EqualityOperator (no test runs it): 'x' → \"\""
    ])
  })
})
