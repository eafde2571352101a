import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { renderSvg, renderTable } from "@rollcall/report"
import { loadScenarios, rehearse } from "@rollcall/simulator"
import * as Effect from "effect/Effect"

/**
 * Rehearsals whose output a page shows. The page has the parts that the comment names, in the order of the output; without parts it has
 * all of it:
 *
 *     <!-- output of: rollcall simulate examples/zone-outage.yaml: WHY, WHAT HAPPENED -->
 *
 * `docs/pictures/zone-outage.svg`, if the page shows it, is the picture of the same run. A page that shows only the picture says so:
 *
 *     <!-- picture of: rollcall simulate examples/releases.yaml -->
 */
const RUN =
  /<!-- (?:output|picture) of: rollcall simulate (examples\/[\w./-]+\.yaml)( --trace leases)?(?:: [A-Z, ]+)? -->/g
const BLOCK =
  /(<!-- output of: rollcall simulate (examples\/[\w./-]+\.yaml)( --trace leases)?(?:: ([A-Z, ]+))? -->\n```text\n)([^`]*)```\n/g

export const root = fileURLToPath(new URL("../../..", import.meta.url))

export const readPage = (file: string): string => readFileSync(join(root, file), "utf8")

/** The pages that show outputs. */
export const pages: ReadonlyArray<string> = [
  "README.md",
  ...globSync("**/*.md", { cwd: join(root, "docs") })
    .sort()
    .map((file) => `docs/${file}`)
]

/** A rehearsal, and the pages that show its output. */
export interface PageRun {
  readonly file: string
  readonly traceLeases: boolean
  /** The picture of the run, if there is one. */
  readonly picture: string | undefined
  readonly pages: ReadonlyArray<string>
}

/** Returns the rehearsals of all pages. */
export const pageRuns = (): ReadonlyArray<PageRun> => {
  const found = new Map<string, PageRun>()
  for (const page of pages) {
    const text = readPage(page)
    for (const [, file = "", flag] of text.matchAll(RUN)) {
      const picture = `pictures/${basename(file, ".yaml")}.svg`
      const known = found.get(file)
      found.set(file, {
        file,
        traceLeases: flag !== undefined,
        picture: text.includes(`${picture})`) ? `docs/${picture}` : known?.picture,
        pages: [...new Set([...(known?.pages ?? []), page])]
      })
    }
  }
  return [...found.values()]
}

/** The output of a run. */
export interface RunOutput {
  readonly table: string
  readonly picture: string
  /** The expectations that failed. */
  readonly failed: ReadonlyArray<string>
}

/** Runs the scenarios of a file. */
export const runOf = ({ file, traceLeases }: PageRun): Promise<RunOutput> =>
  Effect.gen(function* () {
    const plans = yield* loadScenarios([join(root, "examples", file.slice("examples/".length))])
    const results = yield* Effect.forEach(plans, (plan) => rehearse(plan, { traceLeases }))
    const failed = results
      .flatMap(({ expectations }) => expectations)
      .filter(({ held }) => !held)
      .map(({ name }) => name)
    const text = results.map((result) => renderTable(result)).join("\n")
    return { table: text.replaceAll(/[ \t]+$/gm, "").replace(SPEED, ""), picture: renderSvg(results), failed }
  }).pipe(Effect.provide(NodeServices.layer), Effect.runPromise)

/** The speed differs between runs, and so no page shows it. */
const SPEED = / in [\d.]+s \([\d,]+ times real time\)/g

/** Returns the parts of a table with these headings. */
const partsOf = (table: string, headings: ReadonlyArray<string>): string => {
  const parts = table.split(/\n\n(?=[A-Z ,]+\n)/)
  const found = headings.map((heading) => parts.find((part) => part.startsWith(`${heading}\n`)))
  const missing = headings.filter((_, index) => found[index] === undefined)
  if (missing.length > 0) throw new Error(`the output has no ${missing.join(", ")}`)
  return `${found.map((part) => part?.trimEnd()).join("\n\n")}\n`
}

/** Returns the page with the current output of one run. */
export const withOutput = (page: string, run: PageRun, table: string): string =>
  page.replaceAll(BLOCK, (block, start: string, file: string, _: string | undefined, headings: string | undefined) =>
    file === run.file
      ? `${start}${headings === undefined ? table : partsOf(table, headings.split(", "))}\`\`\`\n`
      : block
  )
