import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { rehearseValues } from "../src/index.ts"
import { rehearseSpec } from "./run.ts"

const result = rehearseSpec({ duration: "1m", cluster: { nodes: [{ name: "a", count: 1, zone: "zone-a" }] } })

const seedsOf = (seed: number | undefined) => {
  const asked: Array<readonly [string, number | undefined]> = []
  const compared = Effect.runSync(
    rehearseValues(["20s", "50s"], { seed, seeds: 3 }, (value, of) =>
      Effect.sync(() => {
        asked.push([value, of])
        return { description: "An outage.", result: { ...result, spec: { ...result.spec, seed: of ?? 7 } } }
      })
    )
  )
  return { asked, compared }
}

describe("the rehearsals of a comparison", () => {
  it("have the same seeds for each value, counted from the scenario's own", () => {
    const { asked, compared } = seedsOf(undefined)
    assert.deepStrictEqual(asked, [
      ["20s", undefined],
      ["50s", undefined],
      ["20s", 8],
      ["20s", 9],
      ["50s", 8],
      ["50s", 9]
    ])
    assert.strictEqual(compared.description, "An outage.")
    assert.deepStrictEqual(
      compared.runs.map(({ results, value }) => [value, results.map(({ spec }) => spec.seed)]),
      [
        ["20s", [7, 8, 9]],
        ["50s", [7, 8, 9]]
      ]
    )
  })

  it("are counted from a seed that is given", () => {
    assert.deepStrictEqual(
      seedsOf(3).asked.map(([, seed]) => seed),
      [3, 3, 4, 5, 4, 5]
    )
  })
})
