import { assert, describe, it } from "@effect/vitest"
import type { Steps } from "@rollcall/time"
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

describe("time slices", () => {
  it("run short work at once", () => {
    const { failed, planned, rest, turns, work } = makeTurns()
    turns.run("a", work("x", 4, 1), failed)
    assert.strictEqual(planned.length, 0)
    assert.strictEqual(rest(), "x1 x2 x3 x4")
    assert.strictEqual(turns.count, 0)
  })

  it("postpone work that is longer than a slice, one part per slice", () => {
    const { failed, rest, turns, work } = makeTurns()
    turns.run("a", work("x", 5, 3), failed)
    assert.strictEqual(rest(), "x1 x2 | x3 x4 | x5")
    assert.strictEqual(turns.count, 2)
  })

  it("pause after long parts, so that waiting work is done", () => {
    const { failed, rest, rests, turns, work } = makeTurns()
    turns.run("a", work("short", 2, 5), failed)
    rest()
    turns.run("a", work("long", 2, 50), failed)
    rest()
    turns.run("a", work("longer", 2, 1000), failed)
    rest()
    // Work that finds an empty queue starts without a pause.
    turns.runNext("a", work("answer", 1, 1), failed)
    assert.deepStrictEqual(rests, [0, 10, 25, 0])
  })

  it("serve users round-robin, and each user's work in order", () => {
    const { failed, rest, turns, work } = makeTurns()
    turns.run("a", work("x", 3, 9), failed)
    turns.run("a", work("y", 2, 9), failed)
    turns.run("b", work("z", 3, 9), failed)
    assert.strictEqual(rest(), "x1 y1 z1 | x2 | z2 | x3 | z3 | y2")
  })

  it("start no long work of a user before waiting work has ended", () => {
    const { failed, rest, turns, work } = makeTurns()
    turns.runAfter("a", work("x", 2, 9), failed)
    turns.runAfter("a", work("y", 1, 9), failed)
    turns.runAfter("b", work("z", 1, 1), failed)
    turns.run("a", work("small", 1, 1), failed)
    assert.strictEqual(rest(), "x1 z1 small1 | x2 | y1")
  })

  it("let work that other work started continue within the slice, and end before the next user's", () => {
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

  it("end a long request in a slice of its own", () => {
    const { failed, rest, turns, work } = makeTurns()
    turns.runAfter("a", work("x", 2, 9), failed)
    turns.runNext("a", work("answer", 1, 1), failed)
    assert.strictEqual(rest(), "x1 | answer1 | x2")
  })

  it("throw exceptions of the first part at once, and report later ones", () => {
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

  it("are not used where no other work waits for the thread", () => {
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
