import { assert, describe, it } from "@effect/vitest"
import { noEtcd } from "@rollcall/store-etcd/testing"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { severalServers, watchFaults } from "../src/several/severalServers.ts"

describe("the check of a watch", () => {
  const swap = (from: string, to: string) =>
    ({ beganMs: 0, endedMs: 1, did: { type: "swap", from, to, told: "swapped" } }) as const
  const history = [swap("0", "a"), swap("a", "b")]
  const faultsOf = (...events: ReadonlyArray<readonly [revision: number, value: string]>) =>
    watchFaults(
      history,
      { events: events.map(([revision, value]) => ({ name: "r", revision, value })), gone: undefined },
      "r"
    )

  it("finds what it missed, repeated or made up", () => {
    assert.deepStrictEqual(faultsOf([5, "a"], [7, "b"]), [])
    assert.include(faultsOf([5, "a"]).join(), "has not delivered b")
    assert.include(faultsOf([7, "b"]).join(), "a change was missed")
    assert.include(faultsOf([5, "a"], [5, "a"], [7, "b"]).join(), "revision 5 after 5")
    assert.include(faultsOf([5, "a"], [7, "b"], [8, "c"]).join(), "c after b")
    assert.include(watchFaults([], { events: [], gone: "too old" }, "r").join(), "could not go on")
  })
})

describe.skipIf(noEtcd !== undefined)("kill -9 of two API servers and of members of their etcd", () => {
  it.live(
    "leaves one order of all answers, and each change once in each watch",
    () =>
      Effect.gen(function* () {
        const { acknowledged, faults, resumed } = yield* severalServers(2)
        assert.deepStrictEqual(faults, [])
        assert.isAbove(acknowledged, 20)
        assert.isAbove(resumed, 0)
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    120_000
  )
})
