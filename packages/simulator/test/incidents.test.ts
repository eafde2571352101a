import { readdirSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { loadScenarioText } from "../src/index.ts"
import { examples, pageUrl, read, runIncident } from "./incidents.ts"

const page = readFileSync(pageUrl, "utf8")
const flat = (text: string) => text.replace(/\s+/g, " ").trim()

interface Written {
  readonly metadata: {
    readonly name: string
    readonly annotations: { readonly source: string; readonly happened: string }
  }
}

/** What the page says of a scenario, under its name. */
const sectionOf = (name: string): string => page.split(/^#+ /m).find((section) => section.startsWith(`${name}\n`)) ?? ""

/** Lines that the page shows of its output, without the gaps between them. */
const shownOf = (section: string): ReadonlyArray<string> =>
  (/```text\n([\s\S]*?)```/.exec(section)?.[1] ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "" && line.trim() !== "…")

const files = readdirSync(new URL("incidents/", examples)).filter((file) => file.endsWith(".yaml"))

describe("the incidents", () => {
  it("are a dozen and more", () => assert.isAtLeast(files.length, 12))

  for (const file of files) {
    const name = `incidents/${file}`
    const web = { "manifests/web.yaml": read("manifests/web.yaml") }
    const plans = Effect.runSync(loadScenarioText(read(name), { name, files: web }))
    const written = parseAllDocuments(read(name)).map((document) => document.toJS() as Written)
    for (const [index, plan] of plans.entries()) {
      it(`${file}: ${plan.name}`, () => {
        const { result, table } = runIncident(plan)
        assert.deepStrictEqual(
          result.expectations.filter(({ held }) => !held),
          []
        )
        assert.isAtLeast(result.expectations.length, 3)
        assert.deepStrictEqual([result.bugs ?? [], plan.warnings], [[], []])

        const { happened, source } = written[index]?.metadata.annotations ?? { happened: "", source: "" }
        assert.match(source, /^https:\/\//)
        const section = sectionOf(plan.name)
        for (const said of [happened, plan.description]) assert.include(flat(section), flat(said))
        for (const url of source.split(/\s+/)) assert.include(section, url)
        const shown = shownOf(section)
        assert.isNotEmpty(shown)
        const lines = table.split("\n")
        assert.deepStrictEqual(
          shown.filter((line) => !lines.includes(line)),
          [],
          "to bring the page up to date: node packages/simulator/test/refreshIncidents.ts"
        )
      }, 20_000)
    }
  }
})
