// Brings docs/incidents.md up to date with the scenarios and their output: node packages/report/test/refreshIncidents.ts
import { readFileSync, writeFileSync } from "node:fs"
import { fold } from "@rollcall/text"
import { incidentsOfPage, MARK, pageUrl, partsOnPage, runIncident } from "./incidents.ts"

const WIDTH = 138

const page = readFileSync(pageUrl, "utf8")

/** The comments that name the run behind the figures of a section: they are kept. */
const figuresOf = (name: string): ReadonlyArray<string> => {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${name}\n`)) ?? ""
  return section.split("\n").filter((line) => line.startsWith("<!-- figures:"))
}

const sections = incidentsOfPage(page).map(({ happened, plan, sources }) =>
  [
    `## ${plan.name}`,
    "",
    ...figuresOf(plan.name),
    ...fold(happened, WIDTH),
    "",
    sources.map((url) => `<${url}>`).join(" · "),
    "",
    ...fold(plan.description, WIDTH),
    "",
    "```text",
    ...partsOnPage(runIncident(plan).table),
    "```",
    ""
  ].join("\n")
)
writeFileSync(pageUrl, `${page.slice(0, page.indexOf(MARK) + MARK.length)}\n\n${sections.join("\n")}`)
