import { assert, describe, it } from "@effect/vitest"
import { VirtualClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { Run, seeded } from "../src/rehearsal/Run.ts"
import { planOf } from "./run.ts"

const plan = (seed: number) =>
  planOf({ seed, duration: "1s", cluster: { nodes: [{ name: "a", count: 1, zone: "zone-a" }] } })

const { startMs } = plan(1)
const clock = VirtualClock.layer(startMs)

/** What the forks of these purposes draw, one after the other. */
const drawNumbers = (seed: number, ...purposes: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { fork } = yield* Run
    const numbers: Array<number> = []
    for (const purpose of purposes)
      fork(
        purpose,
        Effect.map(Random.nextInt, (number) => void numbers.push(number))
      )
    yield* Effect.map(VirtualClock, ({ runUntil }) => runUntil(startMs + 1))
    return numbers
  }).pipe(Effect.provide(Run.layer(plan(seed), {}).pipe(Layer.provideMerge(clock))))

describe("the random numbers of a rehearsal", () => {
  it.effect("differ between forks, also of one purpose, and follow from the seed", () =>
    Effect.gen(function* () {
      const numbers = yield* drawNumbers(7, "event 0", "event 1", "event 0")
      assert.strictEqual(new Set(numbers).size, 3)
      assert.deepStrictEqual(yield* drawNumbers(7, "event 0", "event 1", "event 0"), numbers)
      assert.notDeepEqual(yield* drawNumbers(8, "event 0", "event 1", "event 0"), numbers)
      // What another purpose draws changes none of them.
      assert.deepStrictEqual(yield* drawNumbers(7, "event 0", "event 0"), [numbers[0], numbers[2]])
    })
  )

  it.effect("differ between layers of different purposes", () =>
    Effect.gen(function* () {
      const numbers: Array<number> = []
      const draws = Layer.effectDiscard(Effect.map(Random.nextInt, (number) => void numbers.push(number)))
      yield* Layer.build(Layer.mergeAll(seeded(draws), seeded(draws, "storage driver"), seeded(draws, "layers"))).pipe(
        Effect.provide(Run.layer(plan(7), {}).pipe(Layer.provideMerge(clock))),
        Effect.scoped
      )
      assert.strictEqual(new Set(numbers).size, 3)
    })
  )
})
