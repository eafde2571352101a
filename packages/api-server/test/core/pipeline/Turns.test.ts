import { assert, describe, it } from "@effect/vitest"
import type { Steps } from "../../../src/core/turns/Steps.ts"
import { Turns } from "../../../src/core/turns/Turns.ts"

/** Turns over a clock and a loop of the test's own. */
const makeTurns = (turnMs = 5) => {
  const state = { nowMs: 0 }
  const planned: Array<() => void> = []
  const rests: Array<number> = []
  const log: Array<string> = []
  const nextTurn = (callback: () => void, restMs: number) => {
    planned.push(callback)
    rests.push(restMs)
  }
  const turns = new Turns({ nextTurn, now: () => state.nowMs, turnMs })
  /** Work of so many parts, each of which takes so long. */
  const work = function* (name: string, parts: number, partMs: number): Steps<void> {
    for (let part = 1; part <= parts; part++) {
      if (part > 1) yield
      log.push(`${name}${part}`)
      state.nowMs += partMs
    }
  }
  const failed = (error: unknown) => log.push(String(error))
  const next = () => {
    const callback = planned.shift()
    if (callback === undefined) return false
    log.push("|")
    callback()
    return true
  }
  const rest = () => {
    for (let turn = 0; turn < 100 && next(); turn++);
    return log.join(" ")
  }
  return { turns, work, failed, next, rest, log, planned, rests }
}

describe("turns", () => {
  it("do short work at once", () => {
    const { failed, planned, rest, turns, work } = makeTurns()
    turns.run("a", work("x", 4, 1), failed)
    assert.strictEqual(planned.length, 0)
    assert.strictEqual(rest(), "x1 x2 x3 x4")
    assert.strictEqual(turns.count, 0)
  })

  it("put off what lasts longer than a turn, one part a turn", () => {
    const { failed, rest, turns, work } = makeTurns()
    turns.run("a", work("x", 5, 3), failed)
    assert.strictEqual(rest(), "x1 x2 | x3 x4 | x5")
    assert.strictEqual(turns.count, 2)
  })

  it("rest after parts that lasted long, so that who waited gets several things done", () => {
    const { failed, rest, rests, turns, work } = makeTurns()
    turns.run("a", work("short", 2, 5), failed)
    rest()
    turns.run("a", work("long", 2, 50), failed)
    rest()
    turns.run("a", work("longer", 2, 1000), failed)
    rest()
    // What begins anew waits for nobody.
    turns.runNext("a", work("answer", 1, 1), failed)
    assert.deepStrictEqual(rests, [0, 10, 25, 0])
  })

  it("serve users in turn, and each user's work in its order", () => {
    const { failed, rest, turns, work } = makeTurns()
    turns.run("a", work("x", 3, 9), failed)
    turns.run("a", work("y", 2, 9), failed)
    turns.run("b", work("z", 3, 9), failed)
    assert.strictEqual(rest(), "x1 y1 z1 | x2 | z2 | x3 | z3 | y2")
  })

  it("begin nothing long of a user before what waits has ended", () => {
    const { failed, rest, turns, work } = makeTurns()
    turns.runAfter("a", work("x", 2, 9), failed)
    turns.runAfter("a", work("y", 1, 9), failed)
    turns.runAfter("b", work("z", 1, 1), failed)
    turns.run("a", work("small", 1, 1), failed)
    assert.strictEqual(rest(), "x1 z1 small1 | x2 | y1")
  })

  it("let work that was begun by other work go on within the same turn, and end before the user's next", () => {
    const { failed, log, rest, turns, work } = makeTurns()
    const outer = function* (): Steps<void> {
      log.push("decode")
      yield
      turns.run("a", work("x", 3, 4), failed)
    }
    turns.runAfter("a", outer(), failed)
    turns.runAfter("a", work("y", 1, 1), failed)
    assert.strictEqual(rest(), "decode x1 x2 | x3 | y1")
  })

  it("end a request that took long in a turn of its own", () => {
    const { failed, rest, turns, work } = makeTurns()
    turns.runAfter("a", work("x", 2, 9), failed)
    turns.runNext("a", work("answer", 1, 1), failed)
    assert.strictEqual(rest(), "x1 | answer1 | x2")
  })

  it("throw what work throws at once, and tell what it throws later", () => {
    const { failed, rest, turns, work } = makeTurns()
    const throwing = function* (parts: number): Steps<void> {
      yield* work("x", parts, 9)
      throw new Error("broken")
    }
    assert.throws(() => turns.run("a", throwing(1), failed), "broken")
    turns.run("a", throwing(2), failed)
    turns.run("a", work("y", 2, 9), failed)
    assert.strictEqual(rest(), "x1 x1 y1 | x2 Error: broken | y2")
  })

  it("are not taken where nobody waits for the thread", () => {
    const { failed } = makeTurns()
    const turns = new Turns()
    let done = 0
    turns.run(
      "a",
      (function* (): Steps<void> {
        for (; done < 1000; done++) yield
      })(),
      failed
    )
    assert.strictEqual(done, 1000)
  })
})
