import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { layerBoundedFiles } from "@rollcall/files"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, assert, describe, it } from "vitest"
import { readSettings, settingKeys, variableOf } from "../src/settings.ts"
import { usage } from "../src/usage.ts"

const folder = mkdtempSync(join(tmpdir(), "rollcalld-settings-"))
afterAll(() => rmSync(folder, { recursive: true }))

const files = Layer.provideMerge(layerBoundedFiles, NodeServices.layer)

const fileOf = (text: string): string => {
  const file = join(folder, "rollcalld.yaml")
  writeFileSync(file, text)
  return file
}

const read = (text: string, environment: Readonly<Record<string, string>> = {}) =>
  Effect.runPromise(readSettings(text === "" ? "" : fileOf(text), environment).pipe(Effect.provide(files)))

const refusal = (text: string, environment: Readonly<Record<string, string>> = {}) =>
  Effect.runPromise(
    readSettings(text === "" ? "" : fileOf(text), environment).pipe(
      Effect.flip,
      Effect.map(({ message }) => message.replace(`${folder}/`, "")),
      Effect.provide(files)
    )
  )

describe("the settings of rollcalld", () => {
  it("come from the environment first, then from a file", async () => {
    const { metrics, parsed } = await read("nodes: 4\nzones: 2\ntlsSan: [one, two]\nmetricsAddress: 127.0.0.1:9090\n", {
      ROLLCALLD_NODES: "9",
      PATH: "/bin"
    })
    assert.deepStrictEqual(metrics, { host: "127.0.0.1", port: 9090 })
    assert.strictEqual(parsed.values.nodes, 9)
    assert.strictEqual(parsed.values.zones, 2)
    assert.deepStrictEqual(parsed.values["tls-san"], ["one", "two"])
    assert.deepStrictEqual([...parsed.given].toSorted(), ["nodes", "tls-san", "zones"])
  })

  it("have the defaults of rollcall up", async () => {
    const { metrics, parsed } = await read("")
    assert.isUndefined(metrics)
    assert.strictEqual(parsed.values.nodes, 3)
    assert.strictEqual(parsed.given.size, 0)
  })

  it("have a scenario key, which is --config on the command line", async () => {
    const { parsed } = await read("scenario: ./outage.yaml\n")
    assert.strictEqual(parsed.values.config, "./outage.yaml")
  })

  for (const [text, environment, expected] of [
    ["nods: 3\n", {}, 'rollcalld.yaml: nods: is not a setting; did you mean "nodes"?'],
    ["", { ROLLCALLD_NODE: "3" }, 'environment: ROLLCALLD_NODE: is not a setting; did you mean "ROLLCALLD_NODES"?'],
    ["nodes: many\n", {}, 'rollcalld.yaml: nodes: found "many", expected a whole number'],
    ["nodes: 3\n", { ROLLCALLD_NODES: "x" }, 'environment: ROLLCALLD_NODES: found "x", expected a whole number'],
    ["nodes: { a: 1 }\n", {}, "rollcalld.yaml: nodes: found"],
    ["- nodes\n", {}, "rollcalld.yaml: found"],
    ["metricsAddress: 127.0.0.1\n", {}, "rollcalld.yaml: metricsAddress: found"],
    ["metricsAddress: 127.0.0.1:70000\n", {}, "rollcalld.yaml: metricsAddress: found"]
  ] as const) {
    it(`are refused by name: ${JSON.stringify(text)} ${JSON.stringify(environment)}`, async () => {
      assert.include(await refusal(text, environment), expected)
    })
  }

  it("are all described by --help", () => {
    const lines = usage().split("\n")
    for (const key of settingKeys) {
      const line = lines.find((candidate) => candidate.includes(` ${variableOf(key)} `)) ?? ""
      assert.match(line, new RegExp(`${variableOf(key)} +${key} +\\S`))
    }
  })
})
