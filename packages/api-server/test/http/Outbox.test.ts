import { it } from "@effect/vitest"
import { layerWallClock, makeVirtualTime, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { assert, describe } from "vitest"
import { Outbox, type OutboxOptions, type Sender } from "../../src/http/wire/Outbox.ts"

const settle = Effect.sleep("60 millis")

/** An outbox whose rounds the test runs, and whose clock it moves. */
const steppedOutbox = (options?: OutboxOptions) => {
  const rounds: Array<() => void> = []
  const clock = { nowMs: 0 }
  const timers = {
    ...makeVirtualTime(0).timers,
    now: () => clock.nowMs,
    soon: (round: () => void) => void rounds.push(round)
  }
  return { outbox: new Outbox(timers, options), rounds, clock }
}

describe("watches with events to send", () => {
  it.live("are sent once each, in order, and again when there is more", () =>
    Effect.gen(function* () {
      const outbox = new Outbox(yield* Timers)
      const sent: Array<string> = []
      const sender = (name: string): Sender => ({ flush: () => sent.push(name) })
      outbox.add(sender("a"))
      outbox.add(sender("b"))
      assert.deepStrictEqual(sent, [])
      yield* settle
      assert.deepStrictEqual(sent, ["a", "b"])
      outbox.add(sender("c"))
      yield* settle
      assert.deepStrictEqual(sent, ["a", "b", "c"])
    }).pipe(Effect.provide(layerWallClock()))
  )

  it("use only a part of the time: the rest are sent in the next round", () => {
    const { clock, outbox, rounds } = steppedOutbox()
    const sent: Array<string> = []
    for (const name of ["a", "b", "c", "d"]) {
      const flush = () => {
        sent.push(name)
        clock.nowMs += 10
      }
      outbox.add({ flush })
    }
    rounds.shift()?.()
    assert.deepStrictEqual(sent, ["a", "b"])
  })

  it.live("leave time to others after a long round", () =>
    Effect.gen(function* () {
      let nowMs = 0
      const rests: Array<number> = []
      const timers = {
        ...makeVirtualTime(0).timers,
        now: () => nowMs,
        soon: (round: () => void) => {
          rests.push(0)
          setImmediate(round)
        },
        after: (ms: number, round: () => void) => {
          rests.push(ms)
          setImmediate(round)
          return 0 as never
        }
      }
      const outbox = new Outbox(timers, { roundMs: 5, restFactor: 0.2, restAfterMs: 10 })
      const sent: Array<number> = []
      for (const ms of [8, 25, 500, 8]) {
        const flush = () => {
          sent.push(ms)
          nowMs += ms
        }
        outbox.add({ flush })
      }
      yield* settle
      assert.deepStrictEqual(sent, [8, 25, 500, 8])
      assert.deepStrictEqual(rests, [0, 0, 5, 10])
    })
  )

  it.live("leave less time to others that do not use it", () =>
    Effect.gen(function* () {
      let nowMs = 0
      let waitedMs = 0
      const rests: Array<number> = []
      const timers = {
        ...makeVirtualTime(0).timers,
        now: () => nowMs,
        soon: (round: () => void) => void round(),
        after: (ms: number, round: () => void) => {
          rests.push(ms)
          nowMs += ms
          waitedMs += ms * share
          setImmediate(round)
          return 0 as never
        }
      }
      let share = 1
      const outbox = new Outbox(timers, {
        roundMs: 1,
        restFactor: 2,
        idle: { restFactor: 1, waitedMs: () => waitedMs }
      })
      const shares = [1, 0.6, 0.4, 0.6, 0]
      const flush = () => {
        share = shares.shift() ?? 0
        nowMs += 4
      }
      for (let sent = 0; sent < 6; sent++) outbox.add({ flush })
      yield* settle
      assert.deepStrictEqual(rests, [8, 4, 4, 8, 4])
    })
  )

  it("of few watches are sent at once again, unless their round took long or sent much", () => {
    const { clock, outbox, rounds } = steppedOutbox({ roundMs: 20, restFactor: 2, few: 2 })
    let flushedBytes = 1000
    const plannedAfter = (...durations: ReadonlyArray<number>): boolean => {
      for (const ms of durations) {
        const flush = () => {
          clock.nowMs += ms
        }
        outbox.add({ flush, flushedBytes })
      }
      rounds.shift()?.()
      outbox.add({ flush: () => undefined })
      const isPlanned = rounds.length === 1
      rounds.shift()?.()
      return isPlanned
    }
    assert.isTrue(plannedAfter(1))
    assert.isTrue(plannedAfter(1, 1))
    flushedBytes = 100_000
    assert.isFalse(plannedAfter(1))
  })

  it("of few watches wait after a long round", () => {
    const { clock, outbox, rounds } = steppedOutbox({ roundMs: 20, restFactor: 2, few: 2 })
    const flush = () => {
      clock.nowMs += 11
    }
    outbox.add({ flush })
    rounds.shift()?.()
    outbox.add({ flush })
    assert.lengthOf(rounds, 0)
  })

  it.live("of few watches come before the answer to their write, also when they wait", () =>
    Effect.gen(function* () {
      const { clock, outbox, rounds } = steppedOutbox({ roundMs: 20, restFactor: 0, few: 2 })
      const sent: Array<string> = []
      const write = (events: number) => {
        for (let event = 0; event < events; event++) outbox.add({ flush: () => sent.push("event") })
        outbox.afterEvents(() => sent.push("answer"))
      }
      const startLongRound = () => {
        const flush = () => {
          clock.nowMs += 11
        }
        outbox.add({ flush })
        rounds.shift()?.()
      }
      startLongRound()
      write(1)
      rounds.shift()?.()
      assert.deepStrictEqual(sent, [], "the answer waits with the event")
      yield* settle
      rounds.shift()?.()
      assert.deepStrictEqual(sent.splice(0), ["event", "answer"])
      startLongRound()
      write(3)
      rounds.shift()?.()
      rounds.shift()?.()
      assert.deepStrictEqual(sent, ["answer"], "the events of many watches hold no answer back")
    })
  )

  it("of many watches are sent after the turn in which others were", () => {
    const { outbox, rounds } = steppedOutbox({ roundMs: 20, restFactor: 2, few: 2 })
    for (let count = 0; count < 3; count++) outbox.add({ flush: () => undefined })
    rounds.shift()?.()
    outbox.add({ flush: () => undefined })
    assert.lengthOf(rounds, 0)
  })

  it.live("are sent in the next round if a round has ended before", () =>
    Effect.gen(function* () {
      const outbox = new Outbox(yield* Timers)
      const sent: Array<number> = []
      const busy = (number: number): Sender => ({
        flush: () => {
          sent.push(number)
          const until = performance.now() + 15
          while (performance.now() < until);
        }
      })
      for (let number = 0; number < 5; number++) outbox.add(busy(number))
      while (sent.length < 5) yield* settle
      assert.deepStrictEqual(sent, [0, 1, 2, 3, 4])
    }).pipe(Effect.provide(layerWallClock()))
  )

  it.live("are not lost when they come while others are sent", () =>
    Effect.gen(function* () {
      const outbox = new Outbox(yield* Timers)
      const sent: Array<string> = []
      const second: Sender = { flush: () => sent.push("second") }
      const first: Sender = {
        flush: () => {
          sent.push("first")
          outbox.add(second)
        }
      }
      outbox.add(first)
      yield* settle
      assert.deepStrictEqual(sent, ["first", "second"])
    }).pipe(Effect.provide(layerWallClock()))
  )
})
