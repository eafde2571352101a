import { absolute } from "../absolutePath.ts"
import type { RunContext } from "../RunContext.ts"
import type { Run } from "../ShellWorld.ts"

/** The longest line that is followed, and what is kept of an input that is read as a whole. */
export const MAX_LINE = 4096
export const MAX_KEPT = 64 * 1024

/** A program that reads lines, of files or of its input, and writes others. */
export interface Filter {
  /** The files that it reads; of none, it reads its input. */
  readonly paths: ReadonlyArray<string>
  /** Returns what it writes for a line, whose line feed may be missing; undefined if that is not known. */
  readonly line: (line: string, path: string) => string | undefined
  /** Returns what it writes at the end of all. */
  readonly end?: () => string | undefined
  /** Returns its exit status, if it has not failed. */
  readonly status?: () => number
  /** Its exit status if a file is missing: 1 by default. */
  readonly failure?: number
  /** Whether it reads no more. */
  readonly isDone?: () => boolean
}

/** Returns how a program filters; undefined if its arguments are not modelled. */
export type FilterProgram = (args: ReadonlyArray<string>, context: RunContext) => Filter | undefined

const linesOf = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Runs a filter: it takes no time but that of its input. */
export const runFilter = function* (name: string, filter: Filter, context: RunContext): Run<number | undefined> {
  const world = context.needWorld()
  if (world === undefined) return undefined
  let failures = 0
  const write = function* (text: string | undefined): Run<boolean> {
    if (text !== undefined && text !== "") yield { kind: "output", stream: 1, text }
    return text !== undefined
  }
  const one = function* (line: string, path: string): Run<boolean> {
    // Between two lines others may run.
    yield { kind: "turn" }
    return line.length <= MAX_LINE && (yield* write(filter.line(line, path)))
  }
  for (const path of filter.paths.length === 0 ? ["-"] : filter.paths) {
    if (path === "-") {
      while (filter.isDone?.() !== true) {
        const line = yield { kind: "read" }
        if (line === undefined) break
        if (!(yield* one(line, "(standard input)"))) return undefined
      }
      continue
    }
    const text = world.files.read(absolute(path))
    if (text === undefined) {
      failures++
      const why = world.files.folders.has(absolute(path)) ? "Is a directory" : "No such file or directory"
      yield { kind: "output", stream: 2, text: `${name}: ${path}: ${why}\n` }
      continue
    }
    for (const line of linesOf(text)) {
      if (filter.isDone?.() === true) break
      if (!(yield* one(line, path))) return undefined
    }
  }
  const hasRead = failures < Math.max(1, filter.paths.length)
  if (filter.end !== undefined && hasRead && !(yield* write(filter.end()))) return undefined
  return failures > 0 ? (filter.failure ?? 1) : (filter.status?.() ?? 0)
}
