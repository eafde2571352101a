import { readdirSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { loadScenarioText, rehearse } from "../src/index.ts"

const examples = new URL("../../../examples/", import.meta.url)
const read = (name: string) => readFileSync(new URL(name, examples), "utf8")
const manifests = Object.fromEntries(
  readdirSync(new URL("manifests/", examples)).map((name) => [`manifests/${name}`, read(`manifests/${name}`)])
)

describe("the examples", () => {
  for (const name of readdirSync(examples).filter((file) => file.endsWith(".yaml"))) {
    const plans = Effect.runSync(loadScenarioText(read(name), { name, files: manifests }))
    for (const plan of plans) {
      it(`${name}: ${plan.name}`, async () => {
        // What allocates devices loads before the rehearsal begins.
        const result = await Effect.runPromise(rehearse(plan))
        assert.isAbove(result.expectations.length, 2)
        assert.deepStrictEqual(
          result.expectations.filter(({ held }) => !held),
          []
        )
        assert.deepStrictEqual([result.bugs ?? [], result.warnings], [[], []])
        assert.isNotEmpty(plan.description)
      }, 60_000)
    }
  }
})
