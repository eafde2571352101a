import { assert, describe, it } from "@effect/vitest"
import { layerWallClock, makeVirtualTime, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { makeModelledLogind } from "../src/index.ts"
import { inhibitorContract } from "../src/testing/index.ts"

inhibitorContract(
  "modelled",
  Effect.gen(function* () {
    const context = yield* Layer.build(layerWallClock())
    const logind = yield* Effect.provideContext(
      Effect.map(Timers, (timers) => makeModelledLogind({ timers, inhibitDelayMs: 5000 })),
      context
    )
    return {
      inhibitor: logind.inhibitor,
      inhibitDelayMs: 5000,
      emit: (shuttingDown) => Effect.sync(() => logind.emit(shuttingDown)),
      locksHeld: Effect.sync(logind.locksHeld),
      stopBus: Effect.sync(() => logind.stopBus()),
      startBus: Effect.sync(logind.startBus)
    }
  })
)

describe("a machine that powers off", () => {
  const setup = (inhibitDelayMs = 5000) => {
    const time = makeVirtualTime(0)
    const downs: Array<string> = []
    const logind = makeModelledLogind({
      timers: time.timers,
      inhibitDelayMs,
      powerOff: (why) => downs.push(`${time.timers.now()} ${why}`)
    })
    const lock = () =>
      Exit.getSuccess(
        time.run(Effect.scoped(Effect.flatMap(logind.inhibitor.connect, (session) => session.inhibit)))
      ).pipe(Option.getOrThrow)
    const release = (locked: Effect.Effect<void>) => time.run(locked)
    return { time, logind, downs, lock, release }
  }

  it("powers off at once when no lock is held", () => {
    const { downs, logind, time } = setup()
    logind.emit(true)
    time.runUntil(0)
    assert.deepStrictEqual(downs, ["0 released"])
  })

  it("waits for the last lock", () => {
    const { downs, lock, logind, release, time } = setup()
    const locks = [lock(), lock()]
    logind.emit(true)
    time.runUntil(2000)
    for (const [index, locked] of locks.entries()) {
      assert.strictEqual(downs.length, 0, `before release ${index}`)
      release(locked)
    }
    time.runUntil(60_000)
    assert.deepStrictEqual(downs, ["2000 released"])
  })

  it("powers off once, at the limit, even when a lock is held", () => {
    const { downs, lock, logind, release, time } = setup()
    const locked = lock()
    logind.emit(true)
    time.runUntil(4999)
    assert.deepStrictEqual(downs, [])
    time.runUntil(5000)
    assert.deepStrictEqual(downs, ["5000 limit"])
    release(locked)
    time.runUntil(60_000)
    assert.strictEqual(downs.length, 1)
  })

  it("stays up when the shutdown is cancelled in time", () => {
    const { downs, lock, logind, release, time } = setup()
    const locked = lock()
    logind.emit(true)
    time.runUntil(3000)
    logind.emit(false)
    release(locked)
    time.runUntil(60_000)
    assert.deepStrictEqual(downs, [])
  })
})
