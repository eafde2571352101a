import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { damagedStores } from "../src/damage/damagedStore.ts"
import { damages } from "../src/damage/damages.ts"

const expectedDamage = new Set([
  "nothing",
  "the write-ahead log removed",
  "the write-ahead log cut in half",
  "the file removed"
])

describe("a store whose server was killed", () => {
  it.live(
    "never loses an acknowledged write without a report when its files are damaged",
    () =>
      Effect.gen(function* () {
        const chosen = damages.filter(({ name }) => expectedDamage.has(name))
        const reports = yield* damagedStores(chosen, () => {})
        assert.strictEqual(reports.length, expectedDamage.size)
        for (const { acknowledged, isRight, message, missing, missingAccepted, name } of reports) {
          assert.isTrue(isRight, name)
          assert.strictEqual(acknowledged, 200, name)
          if (missing !== undefined) continue
          assert.match(message, /store\.sqlite/, name)
          assert.match(message, /acknowledged/, name)
          assert.isAbove(missingAccepted ?? 0, 0, name)
        }
      }).pipe(Effect.provide(layerWallClock())),
    120_000
  )
})
