import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"

/** What is known of a test file from the last time that it ran here. */
export interface Result {
  /** The digest of its inputs then, if it passed. */
  readonly passed?: string
  readonly durationMs: number
}

/** What `pnpm check` reads of vitest's JSON report. */
interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly startTime: number
    readonly endTime: number
  }>
}

export type Results = ReadonlyMap<string, Result>

export const readResults = (path: string): Results => {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, Result>>))
  } catch {
    // No test has run here yet, or the file is damaged: everything runs again.
    return new Map()
  }
}

export const writeResults = (path: string, results: Results): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(Object.fromEntries(results), null, 1))
}

/** Results with those of a report added. Test files that no longer exist, those without a digest, are dropped. */
export const addReport = (
  results: Results,
  { testResults }: Report,
  { digests, root }: { readonly digests: ReadonlyMap<string, string>; readonly root: string }
): Results => {
  const added = new Map([...results].filter(([file]) => digests.has(file)))
  for (const { endTime, name, startTime, status } of testResults) {
    const file = relative(root, name)
    const digest = digests.get(file)
    if (digest === undefined) continue
    const durationMs = Math.round(endTime - startTime)
    added.set(file, status === "passed" ? { passed: digest, durationMs } : { durationMs })
  }
  return added
}
