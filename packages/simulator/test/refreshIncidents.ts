// Brings the output that docs/incidents.md shows up to date: node packages/simulator/test/refreshIncidents.ts
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { loadScenarioText } from "../src/index.ts"
import { examples, pageUrl, read, runIncident } from "./incidents.ts"

/** A line without what chance and small changes of timing decide. */
const shapeOf = (line: string): string =>
  line
    .replace(/[a-z0-9]+(-[a-z0-9]{6,10})?-[a-z0-9]{5}\b/g, "pod")
    .replace(/\b[a-z]+-\d+\b/g, "name")
    .replace(/[\d,.]+/g, "0")
    .replace(/\s+/g, " ")

/** The same excerpt from a newer output; a line that has none like it any more is dropped, and named. */
const renewed = (excerpt: ReadonlyArray<string>, output: ReadonlyArray<string>, name: string) => {
  let from = 0
  return excerpt.flatMap((line) => {
    if (line.trim() === "…") return [line]
    const found = output.findIndex((other, index) => index >= from && shapeOf(other) === shapeOf(line))
    if (found < 0) {
      console.error(`${name}: no line like "${line.trim()}"`)
      return []
    }
    from = found + 1
    return [output[found] ?? line]
  })
}

let page = readFileSync(pageUrl, "utf8")
for (const file of readdirSync(new URL("incidents/", examples)).filter((name) => name.endsWith(".yaml"))) {
  const files = { "manifests/web.yaml": read("manifests/web.yaml") }
  for (const plan of Effect.runSync(
    loadScenarioText(read(`incidents/${file}`), { name: `incidents/${file}`, files })
  )) {
    const output = runIncident(plan).table.split("\n")
    const section = new RegExp(`(^## ${plan.name}\\n[\\s\\S]*?\`\`\`text\\n)([\\s\\S]*?)(\`\`\`)`, "m")
    page = page.replace(section, (_, before: string, excerpt: string, after: string) =>
      [before, ...renewed(excerpt.trimEnd().split("\n"), output, plan.name).map((line) => `${line}\n`), after].join("")
    )
  }
}
writeFileSync(pageUrl, page)
