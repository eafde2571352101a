import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { attackAll } from "../src/attacks/attackAll.ts"
import { faultsOf } from "../src/attacks/runAttack.ts"

const NODES = 50
/** A fiftieth of the command's load: it tests whether the server withstands, not how well. */
const SCALE = 0.02

const failedAttacks = (...only: ReadonlyArray<string>) =>
  attackAll({ nodes: NODES, scale: SCALE, settleMs: 1000, only, onDamage: () => {} }).pipe(
    Effect.map((damages) => {
      assert.isAbove(damages.length, 0)
      return damages.flatMap((damage) => faultsOf(damage).map((fault) => `${damage.name}: ${fault}`))
    }),
    Effect.provide(layerWallClock())
  )

describe("an API server under attack", () => {
  it.live(
    "answers odd requests, large bodies and costly rules",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* failedAttacks("edges", "controllers", "storms", "bodies", "custom"), [])
      }),
    180_000
  )

  it.live(
    "continues to serve other clients while some violate the protocol, overload it, or do not read",
    () =>
      Effect.gen(function* () {
        const greedy = ["starving/half-bodies-node", "starving/flood-writes", "starving/flood-lists", "memory/unread"]
        assert.deepStrictEqual(yield* failedAttacks("protocol", ...greedy), [])
      }),
    180_000
  )
})
