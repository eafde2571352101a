import { isDeepStrictEqual } from "node:util"
import type { Adapters, Json, VectorFile } from "./Adapter.ts"

/** A case whose output differs from the expected one. */
export interface Failure {
  readonly subject: string
  readonly name: string
  readonly expected: Json
  readonly actual: Json
}

/** The outcome of a file: the number of cases that passed, and the others. */
export interface Outcome {
  readonly passed: number
  readonly failures: ReadonlyArray<Failure>
}

/** Returns a value after JSON encoding: without undefined fields, with maps and classes as plain objects. */
const asJson = (value: Json): Json => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

/** Runs every case of a file through its adapter. A subject without an adapter fails in every case. */
export const runFile = (file: VectorFile, adapters: Adapters): Outcome => {
  const adapter = adapters[file.subject]
  const failures: Array<Failure> = []
  for (const vectorCase of file.cases) {
    const addFailure = (actual: Json) =>
      failures.push({ subject: file.subject, name: vectorCase.name, expected: vectorCase.then, actual })
    if (adapter === undefined) {
      addFailure(`no adapter for ${file.subject}`)
      continue
    }
    try {
      const actual = asJson(adapter({ given: vectorCase.given, when: vectorCase.when }, file))
      if (!isDeepStrictEqual(actual, vectorCase.then)) addFailure(actual)
    } catch (error) {
      addFailure(`threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
  return { passed: file.cases.length - failures.length, failures }
}
