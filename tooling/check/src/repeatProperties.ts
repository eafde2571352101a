import { relative } from "node:path"
import * as fc from "fast-check"
import { expect } from "vitest"

/** Where a property failed: its seed, and the way to the smallest case that was found to break it. */
export interface FailedRun {
  readonly seed: number
  readonly path: string | null
  /** The test file, from the root of the workspace. */
  readonly file: string
  /** The test's name with those of its groups, as vitest joins them: `group > name`. */
  readonly test: string
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The command that runs one test with the one case that broke its property. */
export const repeatCommand = ({ file, path, seed, test }: FailedRun): string => {
  const pattern = test.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
  const environment = [`FC_SEED=${seed}`, ...(path === null ? [] : [`FC_PATH=${path}`])]
  return `${environment.join(" ")} pnpm exec vitest run ${file} -t ${quoted(`^${pattern}$`)}`
}

interface Environment {
  readonly FC_SEED?: string | undefined
  readonly FC_PATH?: string | undefined
}

/** What `FC_SEED` and `FC_PATH` ask of fast-check: the one case that they name. */
export const repeated = ({ FC_PATH, FC_SEED }: Environment) => ({
  ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }),
  ...(FC_PATH === undefined ? {} : { path: FC_PATH, endOnFailure: true })
})

/** Fails a test whose property failed, and says how to repeat it. A seed that a test gives itself stays as it is. */
export const reporter =
  (root: string) =>
  (details: fc.RunDetails<unknown>): void => {
    if (!details.failed) return
    const { currentTestName: test = "", testPath = "" } = expect.getState()
    const { counterexamplePath: path, errorInstance: cause, seed } = details
    const command = repeatCommand({ seed, path, file: relative(root, testPath), test })
    throw new Error(`${fc.defaultReportMessage(details)}\n\nTo repeat it:\n  ${command}\n`, { cause })
  }
