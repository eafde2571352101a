import { readFileSync } from "node:fs"
import { apiServerSettings, controllerManagerSettings, schedulerSettings } from "@rollcall/control-plane"
import type { SettingNames } from "@rollcall/input"
import { faults } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { loadScenarioText } from "../src/index.ts"
import { actions, ScenarioDocument } from "../src/input/Scenario.ts"
import { deletedBy, traceTypes } from "../src/trace/TraceEntry.ts"
import { run } from "./run.ts"

const page = readFileSync(new URL("../../../docs/reference/scenario.md", import.meta.url), "utf8")
const web = readFileSync(new URL("../../../examples/manifests/web.yaml", import.meta.url), "utf8")

/** Returns the names that the page does not mention in code. */
const notOnPage = (names: ReadonlyArray<string>) =>
  names.filter((name) => !new RegExp(`\`[^\`]*(?<!\\w)(?<!\\w-)${name}(?![\\w-])[^\`]*\``).test(page))

describe("docs/reference/scenario.md", () => {
  it("names every fault, action, trace entry and cause", () => {
    assert.deepStrictEqual(notOnPage([...faults, ...actions, ...traceTypes, ...deletedBy]), [])
  })

  it("names every field of a scenario", () => {
    const fields = (value: unknown): ReadonlyArray<string> => {
      if (typeof value !== "object" || value === null) return []
      const own =
        "properties" in value && typeof value.properties === "object" ? Object.keys(value.properties ?? {}) : []
      return [...own, ...Object.values(value).flatMap(fields)]
    }
    const document = Schema.toJsonSchemaDocument(ScenarioDocument)
    assert.includeMembers([...fields(document)], ["duration", "fraction", "unavailableSeconds", "until"])
    const quiet = ["topology", "cloudProvider", "available", "apiserver"]
    assert.deepStrictEqual(notOnPage([...new Set(fields(document))].filter((name) => !quiet.includes(name))), [])
  })

  it("names every setting that has an effect", () => {
    const settings: ReadonlyArray<SettingNames> = [
      controllerManagerSettings,
      apiServerSettings,
      schedulerSettings
    ].flatMap((table) => Object.values<SettingNames>(table))
    const names = settings.flatMap(({ flag, path }) => [
      ...(flag === undefined ? [] : [flag]),
      ...(path === undefined ? [] : [path.split(".").at(-1) ?? ""])
    ])
    assert.deepStrictEqual(notOnPage([...new Set(names)]), [])
  })

  it("names every field of a result", () => {
    const result = run({ duration: "1m", cluster: { nodes: [{ name: "a" }] } })
    assert.deepStrictEqual(
      notOnPage([...Object.keys(result), ...Object.keys(result.summary), ...Object.keys(result.summary.nodes)]),
      []
    )
  })

  it("shows scenarios that load", () => {
    const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "")
    assert.isNotEmpty(examples)
    for (const example of examples) {
      const [plan] = Effect.runSync(loadScenarioText(example, { files: { "web.yaml": web } }))
      assert.deepStrictEqual(plan?.warnings, [])
    }
  })
})
