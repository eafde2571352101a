import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/**
 * Measured figures in pages must name the program or test that reproduces them. A part of a page (up to the next heading) that quotes
 * figures names their sources in a comment on its own line, and each count names what is counted:
 *
 *     <!-- figures: pnpm bench server, pnpm live gates -->     programs that print them
 *     <!-- figures: packages/store/src/Store.ts -->            a source or a test that holds each of the numbers
 *     <!-- count: 6 files of examples/drain -->                "6" or "six" stands below, and so many files are in the folder
 *     <!-- count: 202 cases of tooling/x/fixtures -->          as many entries of `cases` in its JSON files
 */

/** Matches a number with a unit of measurements or limits. Durations in seconds are left out: nearly all are Kubernetes settings. */
const FIGURE =
  /(?<![\w.])(\d[\d,.]*\d|\d)(?:–\d[\d,.]*)?[ -]?(?:ns|µs|ms|KB|KiB|MB|MiB|GB|GiB|kB|%|million|times real time|per second|hundredths)(?![\w])/g

/** A part of a page between two headings, and the sources that its comments name for its figures. */
export interface Part {
  readonly file: string
  readonly line: number
  readonly sources: ReadonlyArray<string>
  readonly text: string
}

/** Returns the parts of a page between headings, without code blocks. */
export const partsOf = (file: string, page: string): ReadonlyArray<Part> => {
  const parts: Array<{ line: number; sources: Array<string>; lines: Array<string> }> = []
  let current = { line: 1, sources: [] as Array<string>, lines: [] as Array<string> }
  parts.push(current)
  let fenced = false
  for (const [index, line] of page.split("\n").entries()) {
    if (/^\s*```/.test(line)) fenced = !fenced
    else if (!fenced && /^#+ /.test(line)) {
      current = { line: index + 1, sources: [], lines: [] }
      parts.push(current)
    }
    const source = /^<!-- figures: (.*) -->$/.exec(line)?.[1]
    if (source !== undefined) current.sources.push(...source.split(",").map((text) => text.trim()))
    else if (!fenced) current.lines.push(line)
  }
  return parts.map(({ line, lines, sources }) => ({ file, line, sources, text: lines.join("\n") }))
}

/** Returns the numbers with units in a part, outside of `code`. */
export const figuresIn = (text: string): ReadonlyArray<string> =>
  [...text.replaceAll(/`[^`]*`/g, "").matchAll(FIGURE)].map(([figure]) => figure)

/** The programs that print figures; their usage names each. */
const programs: Readonly<Record<string, string>> = {
  bench: "tooling/bench/src/main.ts",
  live: "tooling/live/src/proofs.ts"
}

const numberOf = (figure: string): string => (/\d[\d,.]*\d|\d/.exec(figure)?.[0] ?? "").replaceAll(",", "")

const containsNumber = (code: string, number: string): boolean =>
  new RegExp(`(?<![\\d.])${number.replace(".", "\\.")}(?![\\d.]*\\d)`).test(code.replaceAll(/(?<=\d)_(?=\d)/g, ""))

/** Returns the forms of a figure in code: a percentage also as a fraction. */
const formsOf = (figure: string): ReadonlyArray<string> => {
  const number = numberOf(figure)
  return figure.endsWith("%") ? [number, String(Number(number) / 100)] : [number]
}

const sourceViolations = (root: string, { file, line, sources, text }: Part): ReadonlyArray<string> => {
  const at = `${file}:${line}`
  const figures = figuresIn(text)
  if (figures.length === 0) return []
  if (sources.length === 0) return [`${at}: ${figures.join(", ")}: no "figures:" comment says what repeats them`]
  const commands = sources.filter((source) => source.startsWith("pnpm "))
  const files = sources.filter((source) => !source.startsWith("pnpm "))
  const unknown = commands.filter((command) => {
    const [, program = "", topic = ""] = command.split(" ")
    const usage = programs[program]
    return usage === undefined || !new RegExp(`\\b${topic}\\b`).test(readFileSync(join(root, usage), "utf8"))
  })
  const missing = files.filter((source) => !existsSync(join(root, source)))
  if (unknown.length + missing.length > 0) {
    return [...unknown, ...missing].map((source) => `${at}: "figures: ${source}": there is no such program or file`)
  }
  if (commands.length > 0) return []
  const code = files.map((source) => readFileSync(join(root, source), "utf8")).join("\n")
  return figures
    .filter((figure) => !formsOf(figure).some((number) => containsNumber(code, number)))
    .map((figure) => `${at}: ${figure} is not in ${files.join(", ")}`)
}

const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
const WORDS_BY_NUMBER = new Map([...WORDS.map((word, index) => [index + 1, word] as const), [20, "twenty"] as const])

const countItems = (folder: string, what: string): number => {
  const names = readdirSync(folder).filter((name) => !name.startsWith("."))
  if (what === "files") return names.length
  return names
    .filter((name) => name.endsWith(".json") && statSync(join(folder, name)).isFile())
    .reduce((sum, name) => sum + (JSON.parse(readFileSync(join(folder, name), "utf8")).cases?.length ?? 0), 0)
}

const countViolations = (root: string, file: string, page: string): ReadonlyArray<string> =>
  page.split("\n").flatMap((line, index, lines) => {
    const match = /^<!-- count: ([\d,]+) (files|cases) of (\S+) -->$/.exec(line)
    if (match === null) return []
    const [, text = "", what = "", folder = ""] = match
    const at = `${file}:${index + 1}`
    if (!existsSync(join(root, folder))) return [`${at}: ${folder}: no such folder`]
    const number = Number(text.replaceAll(",", ""))
    const actual = countItems(join(root, folder), what)
    if (actual !== number) return [`${at}: ${text} ${what} of ${folder}: there are ${actual}`]
    const rest = lines.slice(index + 1)
    const end = rest.findIndex((later) => /^#+ /.test(later))
    const below = rest.slice(0, end < 0 ? rest.length : end).join(" ")
    const word = WORDS_BY_NUMBER.get(number) ?? text
    return new RegExp(`\\b(${text}|${word})\\b`, "i").test(below) ? [] : [`${at}: ${text} is not said below`]
  })

/** Returns the pages of the project: those at the root, docs without its decisions, and the README of each member. */
export const pagesOf = (root: string): ReadonlyArray<string> => [
  ...["README.md", "CONTRIBUTING.md"],
  ...globSync("**/*.md", { cwd: join(root, "docs") })
    .filter((file) => !file.startsWith("decisions/"))
    .sort()
    .map((file) => `docs/${file}`),
  ...["apps", "packages", "tooling"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}/README.md`)
      .filter((file) => existsSync(join(root, file)))
  )
]

/** Returns the problems with the figures of a page. */
export const figureViolations = (root: string, file: string): ReadonlyArray<string> => {
  const page = readFileSync(join(root, file), "utf8")
  return [...partsOf(file, page).flatMap((part) => sourceViolations(root, part)), ...countViolations(root, file, page)]
}
