import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { InvalidInput, type Problem } from "../Problem.ts"
import { findLines } from "./findLine.ts"
import type { YamlVersion } from "./yamlOptions.ts"

/** The text of a file in which problems may be found. */
export interface Source {
  /** The file as its problems name it. */
  readonly file: string
  readonly text: string
  readonly version?: YamlVersion
}

/**
 * The longest text whose lines are looked up, in characters: about a second of parsing. Snapshots of clusters can be a
 * hundred times as long; they are not kept for their lines.
 */
const MAX_LENGTH = 1024 * 1024

/** The most characters of all texts that are kept at once. */
const MAX_TOTAL_LENGTH = 16 * MAX_LENGTH

type LineOfPath = (path: string) => number | undefined

const lineFinder = ({ text, version }: Source): LineOfPath => {
  // Programs write JSON on one line, where a line number does not help.
  if (text.length > MAX_LENGTH || !text.trimEnd().includes("\n")) return () => undefined
  return findLines(text, version)
}

/**
 * Returns a function that adds line numbers to problems of these texts. Only problems for which `isFromFile` holds get
 * one.
 */
export const addLines =
  (sources: Iterable<Source>, isFromFile: (problem: Problem) => boolean = () => true) =>
  (error: InvalidInput): InvalidInput => {
    const byFile = new Map([...sources].map((source) => [source.file, source]))
    const finders = new Map<string, LineOfPath>()
    const lineOf = ({ file, path }: Problem): number | undefined => {
      const source = byFile.get(file)
      if (path === "" || source === undefined) return undefined
      const find = finders.get(file) ?? lineFinder(source)
      finders.set(file, find)
      return find(path)
    }
    const problems = error.problems.map((problem): Problem => {
      const line = problem.line ?? (isFromFile(problem) ? lineOf(problem) : undefined)
      return line === undefined ? problem : { ...problem, line }
    })
    return new InvalidInput({ problems })
  }

/** The texts that were read within `withLineNumbers`, by file; a text over the limits is not kept. */
class SourceTexts {
  readonly #sources = new Map<string, Source>()
  #length = 0

  add(source: Source): void {
    const before = this.#sources.get(source.file)?.text.length ?? 0
    const length = this.#length - before + source.text.length
    this.#sources.delete(source.file)
    this.#length -= before
    if (source.text.length > MAX_LENGTH || length > MAX_TOTAL_LENGTH) return
    this.#length = length
    this.#sources.set(source.file, source)
  }

  all(): Iterable<Source> {
    return this.#sources.values()
  }
}

const CurrentSources = Context.Reference<SourceTexts | undefined>("@rollcall/input/SourcesRead", {
  defaultValue: () => undefined
})

/**
 * Keeps a text so that `withLineNumbers` can find the lines of its problems; outside of `withLineNumbers` it does
 * nothing.
 */
export const rememberSource = (source: Source): Effect.Effect<void> =>
  Effect.map(Effect.service(CurrentSources), (sources) => sources?.add(source))

/**
 * Is `withLineNumbers` for files whose values a command line can replace: `isFromFile` says whether a problem concerns
 * a value in the file's text.
 */
export const withLineNumbersWhere =
  (isFromFile: (problem: Problem) => boolean) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.service(CurrentSources), (outerSources) => {
      const sources = outerSources ?? new SourceTexts()
      const withNumbers = (error: E): E =>
        error instanceof InvalidInput ? (addLines(sources.all(), isFromFile)(error) as E) : error
      return self.pipe(Effect.provideService(CurrentSources, sources), Effect.mapError(withNumbers))
    })

/**
 * Adds the line number to each problem with which an effect fails, for all files that `readDocuments` reads in it. The
 * texts are parsed again for their lines only if it fails. Usable as the last argument of `Effect.fnUntraced`.
 */
export const withLineNumbers = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withLineNumbersWhere(() => true)(self)
