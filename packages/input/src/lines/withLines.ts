import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { InvalidInput, type Problem } from "../Problem.ts"
import { findLines } from "./findLine.ts"
import type { YamlVersion } from "./yamlOptions.ts"

/** A text that problems are about. */
export interface Source {
  /** The file as its problems name it. */
  readonly file: string
  readonly text: string
  readonly version?: YamlVersion
}

/**
 * The longest text whose lines are looked up, in characters: about a second of parsing. Snapshots of clusters can be a hundred
 * times as long; they are not kept for their lines.
 */
const MAX_LENGTH = 1024 * 1024

/** The most that is kept of all texts at once, in characters. */
const MAX_KEPT = 16 * MAX_LENGTH

type Find = (path: string) => number | undefined

const finderOf = ({ text, version }: Source): Find => {
  // Programs write JSON on one line, where a line number does not help.
  if (text.length > MAX_LENGTH || !text.trimEnd().includes("\n")) return () => undefined
  return findLines(text, version)
}

/** Adds lines to the problems of these texts that have none yet. */
export const addLines =
  (sources: Iterable<Source>, isWritten: (problem: Problem) => boolean = () => true) =>
  (error: InvalidInput): InvalidInput => {
    const byFile = new Map([...sources].map((source) => [source.file, source]))
    const finders = new Map<string, Find>()
    const lineOf = ({ file, path }: Problem): number | undefined => {
      const source = byFile.get(file)
      if (path === "" || source === undefined) return undefined
      const find = finders.get(file) ?? finderOf(source)
      finders.set(file, find)
      return find(path)
    }
    const problems = error.problems.map((problem): Problem => {
      const line = problem.line ?? (isWritten(problem) ? lineOf(problem) : undefined)
      return line === undefined ? problem : { ...problem, line }
    })
    return new InvalidInput({ problems })
  }

/** The texts that were read within `withLines`, by their file. */
class SourcesRead {
  readonly #sources = new Map<string, Source>()
  #length = 0

  add(source: Source): void {
    const before = this.#sources.get(source.file)?.text.length ?? 0
    const length = this.#length - before + source.text.length
    this.#sources.delete(source.file)
    this.#length -= before
    if (source.text.length > MAX_LENGTH || length > MAX_KEPT) return
    this.#length = length
    this.#sources.set(source.file, source)
  }

  all(): Iterable<Source> {
    return this.#sources.values()
  }
}

const Current = Context.Reference<SourcesRead | undefined>("@rollcall/input/SourcesRead", {
  defaultValue: () => undefined
})

/** Keeps a text, so that `withLines` can find the lines of its problems. Outside of `withLines` it does nothing. */
export const rememberSource = (source: Source): Effect.Effect<void> =>
  Effect.map(Effect.service(Current), (read) => read?.add(source))

/**
 * `withLines` for files whose values a command line can replace. `isWritten` tells whether a problem concerns a value in the
 * file's text.
 */
export const withLinesWhere =
  (isWritten: (problem: Problem) => boolean) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.service(Current), (outer) => {
      const read = outer ?? new SourcesRead()
      const located = (error: E): E =>
        error instanceof InvalidInput ? (addLines(read.all(), isWritten)(error) as E) : error
      return self.pipe(Effect.provideService(Current, read), Effect.mapError(located))
    })

/**
 * Adds lines to the problems with which an effect fails, for all files that `readDocuments` reads in it. The texts are parsed
 * for their lines only if it fails.
 */
export const withLines = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withLinesWhere(() => true)(self)
