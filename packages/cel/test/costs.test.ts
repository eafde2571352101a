import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { type CelSchema, type Compiled, CompileFault, celTypeOf, celValue, compile, Meter } from "../src/index.ts"

/** One schema with an object, and what expressions over it cost: figures of the genuine sources' own tests. */
interface Group {
  readonly schema: CelSchema
  readonly object?: unknown
  readonly whole?: boolean
  /** Expressions that hold, and what running them costs: celcoststability_test.go, TestCelCostStability. */
  readonly actual?: ReadonlyArray<readonly [string, number]>
  /** What expressions cost at most: the same file, TestCelEstimatedCostStability; compilation_test.go, TestCostEstimation. */
  readonly estimated: ReadonlyArray<readonly [string, number]>
}

const groups: ReadonlyArray<Group> = JSON.parse(readFileSync(new URL("costs.json", import.meta.url), "utf8"))

const compiled = ({ schema, whole = false }: Group, text: string): Compiled => {
  const self = celTypeOf(schema, whole)
  assert.isDefined(self)
  const made = compile(text, { self, oldSelf: self }, self)
  if (made instanceof CompileFault) throw new Error(made.message)
  return made
}

describe("costs of rules", () => {
  it("are Kubernetes' figures when a rule runs", () => {
    let count = 0
    for (const group of groups) {
      for (const [text, cost] of group.actual ?? []) {
        const meter = new Meter()
        const { program } = compiled(group, text)
        const result = program({ self: celValue(group.object, group.schema, group.whole) }, meter)
        assert.deepStrictEqual([text, result, meter.cost], [text, true, cost])
        count++
      }
    }
    assert.isAbove(count, 180)
  })

  it("are Kubernetes' figures when a rule is written", () => {
    let count = 0
    for (const group of groups) {
      for (const [text, cost] of group.estimated) {
        assert.deepStrictEqual([text, compiled(group, text).maxCost], [text, cost])
        count++
      }
    }
    assert.isAbove(count, 300)
  })
})
