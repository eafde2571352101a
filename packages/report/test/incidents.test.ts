import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { incidentFiles, incidentsOf, pageUrl, partsOnPage, runIncident } from "./incidents.ts"

const page = readFileSync(pageUrl, "utf8")
const withoutLineBreaks = (text: string) => text.replace(/\s+/g, " ").trim()

/** The section of the page on a scenario. */
const sectionOf = (name: string): string => page.split(/^## /m).find((section) => section.startsWith(`${name}\n`)) ?? ""

const refresh = "to bring the page up to date: node packages/report/test/refreshIncidents.ts"

/** The first screen of a report: from the name to the timeline. */
const MAX_LINES_BEFORE_WHAT_HAPPENED = 45
const MAX_LINES_OF_WHAT_HAPPENED = 50

describe("the incidents", () => {
  it("number at least twelve, and the page lists them all", () => {
    assert.isAtLeast(incidentFiles.length, 12)
    assert.deepStrictEqual(
      incidentFiles.filter((file) => !page.includes(`| [${file}](../examples/incidents/${file}) |`)),
      []
    )
  })

  for (const file of incidentFiles) {
    for (const { happened, plan, sources } of incidentsOf(file)) {
      it(`${file}: ${plan.name}`, () => {
        const { result, table } = runIncident(plan)
        assert.deepStrictEqual(
          result.expectations.filter(({ held }) => !held),
          []
        )
        assert.isAtLeast(result.expectations.length, 3)
        assert.deepStrictEqual([result.bugs ?? [], plan.warnings], [[], []])

        for (const url of sources) assert.match(url, /^https:\/\//)
        assert.isNotEmpty(sources)
        const section = sectionOf(plan.name)
        for (const said of [happened, plan.description, ...sources])
          assert.include(withoutLineBreaks(section), withoutLineBreaks(said), refresh)
        assert.include(section, partsOnPage(table).join("\n"), refresh)

        const lines = table.split("\n")
        const why = lines.indexOf("WHY")
        const story = lines.indexOf("WHAT HAPPENED")
        assert.isAbove(why, 0)
        assert.isBelow(story, MAX_LINES_BEFORE_WHAT_HAPPENED)
        assert.isBelow(lines.indexOf("", story) - story, MAX_LINES_OF_WHAT_HAPPENED)
      }, 20_000)
    }
  }
})
