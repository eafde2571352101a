import { assert, describe, it } from "@effect/vitest"
import { noEtcd } from "@rollcall/store-etcd/testing"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { lostQuorum, type QuorumReport, quorumFaults } from "../src/several/lostQuorum.ts"
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

describe("a server whose etcd has lost most of its members", () => {
  const well: QuorumReport = {
    writeSeconds: 10,
    writeError: "500 InternalError: Internal error occurred: etcd did not answer within 10s",
    readyz: 500,
    livez: 500,
    staleItems: 1,
    recoverySeconds: 1,
    watchEvents: ["after"],
    resumed: 0
  }

  it("is found to hang, to be silent, or to miss what follows", () => {
    assert.deepStrictEqual(quorumFaults(well), [])
    assert.include(quorumFaults({ ...well, writeError: "none" }).join(), "a write was answered with: none")
    assert.include(quorumFaults({ ...well, writeSeconds: 29 }).join(), "after 29.0 s")
    assert.include(quorumFaults({ ...well, readyz: 200 }).join(), "/readyz was well")
    assert.include(quorumFaults({ ...well, staleItems: -1 }).join(), "was refused")
    assert.include(quorumFaults({ ...well, watchEvents: ["after", "after"] }).join(), "has not told")
  })

  it.live.skipIf(noEtcd !== undefined)(
    "fails writes in time and in words, and recovers by itself",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(quorumFaults(yield* lostQuorum), [])
      }).pipe(Effect.provide(layerWallClock())),
    120_000
  )
})
