import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { assert, describe, it } from "vitest"
import { draw, fnv1a, Mulberry32, nextRng, nextState, type Rng, rngFor, rngOf, toWord, uuidV4 } from "../src/index.ts"

const drawFive = (rng: Rng) => Array.from({ length: 5 }, rng)

describe("random numbers of a seed", () => {
  it("are Mulberry32's", () => {
    assert.deepStrictEqual(
      drawFive(rngOf(0)).map((number) => number.toFixed(12)),
      ["0.266429208685", "0.000329745701", "0.223272027448", "0.146202147938", "0.467327822931"]
    )
  })

  it("continue from a state that is kept as a number", () => {
    const sequence = new Mulberry32(7)
    const first = drawFive(sequence.next)
    let state = sequence.state
    const later = Array.from({ length: 5 }, () => {
      state = nextState(state)
      return draw(state)
    })
    assert.deepStrictEqual([...first, ...later], [...drawFive(rngOf(7)), ...later])
    assert.deepStrictEqual(drawFive(sequence.next), later)
  })

  it("differ for another purpose or seed, and are drawn by nothing else", () => {
    const sequences = [rngFor(1, "link a"), rngFor(1, "link b"), rngFor(2, "link a")].map((rng) =>
      drawFive(rng).join(" ")
    )
    assert.strictEqual(new Set(sequences).size, 3)
    assert.deepStrictEqual(drawFive(rngFor(1, "link a")), drawFive(rngFor(1, "link a")))
  })

  it("take one draw of Effect's Random for a whole sequence", () => {
    const seeded = <A>(effect: Effect.Effect<A>) => Effect.runSync(Random.withSeed(effect, 1))
    const after = seeded(Effect.andThen(Random.nextInt, Random.nextInt))
    const drawn = seeded(
      Effect.gen(function* () {
        drawFive(yield* nextRng)
        return yield* Random.nextInt
      })
    )
    assert.strictEqual(drawn, after)
  })
})

describe("fnv1a", () => {
  it("hashes its authors' test vectors correctly", () => {
    assert.deepStrictEqual([fnv1a(""), fnv1a("a"), fnv1a("foobar")], [0x811c9dc5, 0xe40c292c, 0xbf9cf968])
    assert.strictEqual(fnv1a("bar", fnv1a("foo")), fnv1a("foobar"))
  })
})

describe("uuidV4", () => {
  it("has the digits of version 4, and random bits elsewhere", () => {
    assert.strictEqual(
      uuidV4(() => 0),
      "00000000-0000-4000-8000-000000000000"
    )
    assert.strictEqual(
      uuidV4(() => 0xffffffff),
      "ffffffff-ffff-4fff-bfff-ffffffffffff"
    )
    const rng = rngOf(3)
    assert.match(
      uuidV4(() => toWord(rng())),
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    )
  })
})
