import type { Inputs } from "./inputsOf.ts"

export interface TestFile extends Inputs {
  readonly file: string
  /** Differs whenever one of its inputs does. */
  readonly digest: string
}

export interface Selected {
  readonly file: string
  /** The first of its inputs that changed; undefined: it is not known what did. */
  readonly because: string | undefined
}

export interface Selection {
  readonly run: ReadonlyArray<Selected>
  /** Slow files that a change in another package reaches. */
  readonly left: ReadonlyArray<Selected>
}

export interface SelectOptions {
  readonly tests: ReadonlyArray<TestFile>
  /** What differs from `main`; undefined: there is no `main` to compare with. */
  readonly changed: ReadonlySet<string> | undefined
  /** The digest of each test file when it passed last. */
  readonly passed: ReadonlyMap<string, string>
  readonly slow: ReadonlySet<string>
}

const packageOf = (file: string): string => file.split("/").slice(0, 2).join("/")

const isBelow = (file: string, folders: ReadonlySet<string>): boolean => {
  for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
    if (folders.has(file.slice(0, at))) return true
  }
  return false
}

/** The changed inputs of a test file, its own package's first. */
const changedInputs = ({ file, files, folders }: TestFile, changed: Iterable<string>): ReadonlyArray<string> => {
  const found = [...changed].filter((input) => files.has(input) || isBelow(input, folders))
  const isOwn = (input: string) => packageOf(input) === packageOf(file)
  return [...found.filter(isOwn), ...found.filter((input) => !isOwn(input))]
}

/**
 * Test files that have to run: an input differs from `main`, and they have not passed with the inputs that they have now. What passed on `main`
 * and is made of the same files passes again; what passed once in this working tree does so too, whatever was changed and put back since.
 */
export const selectTests = ({ changed, passed, slow, tests }: SelectOptions): Selection => {
  const run: Array<Selected> = []
  const left: Array<Selected> = []
  for (const test of tests) {
    if (passed.get(test.file) === test.digest) continue
    const [because] = changed === undefined ? [] : changedInputs(test, changed)
    if (changed !== undefined && because === undefined) continue
    const isNear = because === undefined || packageOf(because) === packageOf(test.file)
    if (slow.has(test.file) && !isNear) left.push({ file: test.file, because })
    else run.push({ file: test.file, because })
  }
  return { run, left }
}

const files = (count: number): string => (count === 1 ? "1 test file" : `${count} test files`)

const reasons = (selected: ReadonlyArray<Selected>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { because = "no main branch to compare with" } of selected)
    counts.set(because, (counts.get(because) ?? 0) + 1)
  return [...counts]
    .sort(([, left], [, right]) => right - left)
    .map(([because, count]) => `  ${files(count)}: ${because}`)
}

const SHOWN = 10

/** What runs and why, a line for each changed file that is a reason. */
export const describeSelection = ({ left, run }: Selection, total: number): string => {
  const why = reasons(run)
  return [
    `tests: ${run.length} of ${total} files stand on what changed`,
    ...why.slice(0, SHOWN),
    ...(why.length > SHOWN ? [`  and ${why.length - SHOWN} more changed files`] : []),
    ...(left.length === 0 ? [] : [`left to npm test, as they are slow: ${left.map(({ file }) => file).join(", ")}`])
  ].join("\n")
}
