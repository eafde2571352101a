import type { Inputs } from "./inputsOf.ts"

export interface TestFile extends Inputs {
  readonly file: string
  /** Differs whenever one of its inputs does. */
  readonly digest: string
}

export interface Selected {
  readonly file: string
  /** The nearest of its inputs that changed; undefined: it is not known what did. */
  readonly because: string | undefined
}

export interface Selection {
  readonly run: ReadonlyArray<Selected>
  /** Test files that a change reaches from farther away than the time allows, the nearest first. */
  readonly far: ReadonlyArray<Selected>
  /** Slow files that a change in another package reaches. */
  readonly slow: ReadonlyArray<Selected>
}

export interface SelectOptions {
  readonly tests: ReadonlyArray<TestFile>
  /** What differs from `main`; undefined: there is no `main` to compare with. */
  readonly changed: ReadonlySet<string> | undefined
  /** The digest of each test file when it passed last. */
  readonly passed: ReadonlyMap<string, string>
  readonly slow: ReadonlySet<string>
  /** How long all test files may run together; at least one runs. */
  readonly budgetMs: number
  /** How long each test file took last; one that is not known counts as `UNKNOWN_MS`. */
  readonly durations: ReadonlyMap<string, number>
}

export const UNKNOWN_MS = 2000

const packageOf = (file: string): string => file.split("/").slice(0, 2).join("/")

const isBelow = (file: string, folders: ReadonlySet<string>): boolean => {
  for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
    if (folders.has(file.slice(0, at))) return true
  }
  return false
}

interface Reached extends Selected {
  readonly isOwnPackage: boolean
  /** The number of imports between the test file and the change. */
  readonly distance: number
}

const isOwnPackage = (test: TestFile, input: string): boolean => packageOf(input) === packageOf(test.file)

/** The changed input that is nearest to a test file, one of its own package before all others. */
const reach = (test: TestFile, changed: ReadonlySet<string> | undefined): Reached | undefined => {
  const { file, files, folders } = test
  if (changed === undefined) return { file, because: undefined, isOwnPackage: true, distance: 0 }
  const reached = [...changed]
    .filter((input) => files.has(input) || isBelow(input, folders))
    .map((input) => ({
      file,
      because: input,
      isOwnPackage: isOwnPackage(test, input),
      // What a test file reads by its folder is its own.
      distance: files.get(input) ?? 1
    }))
  return reached.sort(byNearness)[0]
}

const byNearness = (left: Reached, right: Reached): number =>
  Number(right.isOwnPackage) - Number(left.isOwnPackage) || left.distance - right.distance

/**
 * Test files that have to run: an input differs from `main`, and they have not passed with the inputs that they have now. What passed on `main`
 * and is made of the same files passes again; what passed once in this working tree does so too, whatever was changed and put back since.
 * Those of the changed packages come first, then those of others by nearness, without the slow ones of others, as long as the time allows.
 */
export const selectTests = (options: SelectOptions): Selection => {
  const { budgetMs, changed, durations, passed, slow, tests } = options
  const reached = tests
    .filter((test) => passed.get(test.file) !== test.digest)
    .flatMap((test) => reach(test, changed) ?? [])
    .sort(byNearness)
  const selection = { run: [] as Array<Selected>, far: [] as Array<Selected>, slow: [] as Array<Selected> }
  let spentMs = 0
  for (const { because, file, isOwnPackage } of reached) {
    const durationMs = durations.get(file) ?? UNKNOWN_MS
    const isAffordable = spentMs === 0 || spentMs + durationMs <= budgetMs
    const list = slow.has(file) && !isOwnPackage ? "slow" : isAffordable ? "run" : "far"
    if (list === "run") spentMs += durationMs
    selection[list].push({ file, because })
  }
  return selection
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
export const describeSelection = ({ far, run, slow }: Selection, total: number): string => {
  const why = reasons([...run, ...far])
  const reached = run.length + far.length
  return [
    `tests: the changes reach ${reached} of ${total} test files${far.length === 0 ? "" : `; the nearest ${run.length} run`}`,
    ...why.slice(0, SHOWN),
    ...(why.length > SHOWN ? [`  and ${why.length - SHOWN} more changed files`] : []),
    ...(slow.length === 0 ? [] : [`left to npm test, as they are slow: ${slow.map(({ file }) => file).join(", ")}`])
  ].join("\n")
}

/** What a run leaves undone, for its last line. */
export const describeRest = ({ far }: Selection): string =>
  far.length === 0 ? "no test file remains but slow ones" : `${files(far.length)} remain: run pnpm check again`
