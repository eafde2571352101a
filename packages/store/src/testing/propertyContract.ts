import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import type { Operation, Store } from "../Store.ts"
import { Model } from "./Model.ts"
import { type ProbeOptions, probeOf } from "./Probe.ts"

const KEYS = ["/k/a", "/k/b", "/k/c", "/k/d", "/other"]

/**
 * A random operation on the key with this index. `guard` chooses its `expect`: none, the key's modRevision, 0 (absent), or
 * a revision that the key does not have.
 */
interface Step {
  readonly key: number
  readonly type: "put" | "delete"
  readonly guard: "none" | "right" | "absent" | "wrong"
}

const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  key: fc.nat(KEYS.length - 1),
  type: fc.constantFrom("put" as const, "put" as const, "delete" as const),
  guard: fc.constantFrom("none" as const, "right" as const, "absent" as const, "wrong" as const)
})

const batches = fc.array(
  fc.uniqueArray(stepArbitrary, { minLength: 1, maxLength: 3, selector: (stepArbitrary) => stepArbitrary.key }),
  {
    minLength: 1,
    maxLength: 30
  }
)

const expectOf = (guard: Step["guard"], actual: number): { readonly expect?: number } => {
  if (guard === "none") return {}
  if (guard === "absent") return { expect: 0 }
  return { expect: guard === "right" ? actual : actual + 1000 }
}

/**
 * Compares many concurrent writers with the model: writes are sent without waiting, so a layer that queues them must
 * still apply them in the order of the calls. Every answer, every past state and every watch must equal the model's.
 */
export const propertyContract = (
  name: string,
  layer: Layer.Layer<Store, unknown>,
  runs: number,
  options: ProbeOptions
): void => {
  describe(`${name}: against a model`, () => {
    it("responses, past states and watches agree", { timeout: 60_000 }, () =>
      fc.assert(
        fc.asyncProperty(batches, fc.nat(1000), fc.integer({ min: 1, max: 4 }), (plan, seed, limit) =>
          Effect.gen(function* () {
            const store = yield* probeOf(options)
            const model = new Model()
            const fullWatch = yield* store.watch("", 0)
            const written: Array<ReadonlyArray<Operation>> = []
            const expected = plan.map((steps, index) => {
              const batch = steps.map((stepArbitrary): Operation => {
                const key = KEYS[stepArbitrary.key] as string
                const guard = expectOf(stepArbitrary.guard, model.current.get(key)?.modRevision ?? 0)
                return stepArbitrary.type === "put"
                  ? { type: "put", key, value: { index }, ...guard }
                  : { type: "delete", key, ...guard }
              })
              written.push(batch)
              return model.write(batch)
            })

            const answers = yield* Effect.forEach(
              written,
              (batch) =>
                store
                  .write(...batch)
                  .pipe(
                    Effect.catchTag("StoreConflict", (error) =>
                      Effect.succeed({ conflict: error.key, actual: error.actual })
                    )
                  ),
              { concurrency: "unbounded" }
            )
            assert.deepStrictEqual(answers, expected)

            const past = seed % (model.revision + 1)
            for (const revision of [past, model.revision]) {
              assert.deepStrictEqual(
                (yield* store.range("/k/", { revision })).entries,
                model.entriesAt(revision, "/k/")
              )
              const first = yield* store.range("/k/", { revision, limit })
              const rest = yield* store.range("/k/", { revision, after: first.entries.at(-1)?.key ?? "" })
              assert.deepStrictEqual([...first.entries, ...rest.entries], model.entriesAt(revision, "/k/"))
              assert.strictEqual(first.remaining, rest.entries.length)
            }

            assert.deepStrictEqual(yield* fullWatch.until(model.revision), model.changes)
            const lateWatch = yield* store.watch("", past)
            const after = model.changes.filter(
              (change) => (change.type === "put" ? change.entry.modRevision : change.revision) > past
            )
            if (after.length > 0) assert.deepStrictEqual(yield* lateWatch.until(model.revision), after)
          }).pipe(Effect.scoped, Effect.provide(Layer.fresh(layer)), Effect.runPromise)
        ),
        { numRuns: runs }
      )
    )
  })
}
