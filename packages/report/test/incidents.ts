import { readdirSync, readFileSync } from "node:fs"
import { loadScenarioText, type Plan, rehearse } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { parseAllDocuments } from "yaml"
import { renderTable } from "../src/index.ts"

export const examples = new URL("../../../examples/", import.meta.url)
export const pageUrl = new URL("../../../docs/incidents.md", import.meta.url)

export const read = (name: string): string => readFileSync(new URL(name, examples), "utf8")

export const incidentFiles = readdirSync(new URL("incidents/", examples)).filter((file) => file.endsWith(".yaml"))

/** A scenario of the library, with its sources. */
export interface Incident {
  readonly file: string
  readonly plan: Plan
  readonly happened: string
  readonly sources: ReadonlyArray<string>
}

interface WrittenScenario {
  readonly metadata: { readonly annotations?: { readonly source?: string; readonly happened?: string } }
}

export const incidentsOf = (file: string): ReadonlyArray<Incident> => {
  const name = `incidents/${file}`
  const text = read(name)
  const written = parseAllDocuments(text).map((document) => document.toJS() as WrittenScenario)
  const plans = Effect.runSync(
    loadScenarioText(text, { name, files: { "manifests/web.yaml": read("manifests/web.yaml") } })
  )
  return plans.map((plan, index) => {
    const { happened = "", source = "" } = written[index]?.metadata.annotations ?? {}
    return { file, plan, happened, sources: source.split(/\s+/).filter((url) => url !== "") }
  })
}

/** The table of the page ends here; a section for each scenario follows. */
export const MARK = "<!-- what follows is made by packages/report/test/refreshIncidents.ts -->"

/** All incidents, in the order in which the page lists their files. */
export const incidentsOfPage = (page: string): ReadonlyArray<Incident> => {
  const order = [...page.matchAll(/^\| \[([a-z0-9-]+\.yaml)\]/gm)].map((match) => match[1] ?? "")
  const rank = (file: string) => (order.includes(file) ? order.indexOf(file) : order.length)
  return [...incidentFiles].sort((one, other) => rank(one) - rank(other)).flatMap(incidentsOf)
}

const linesUnder = (table: ReadonlyArray<string>, heading: string): ReadonlyArray<string> => {
  const from = table.indexOf(heading)
  return from < 0 ? [] : table.slice(from, table.indexOf("", from))
}

/** Returns the parts of an output that the page shows: WHY and WORKLOADS. */
export const partsOnPage = (table: string): ReadonlyArray<string> => {
  const lines = table.split("\n")
  return [linesUnder(lines, "WHY"), linesUnder(lines, "WORKLOADS")]
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index === 0 ? part : ["", ...part]))
}

/** Runs an incident to its end; returns the result and its table. */
export const runIncident = (plan: Plan) => {
  const result = Effect.runSync(rehearse(plan))
  return { result, table: renderTable(result) }
}
