import { makeVirtualTime, type TimersShape } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import type { Run } from "../../src/runtime/command/ShellWorld.ts"
import { RunDriver } from "../../src/server/streams/RunDriver.ts"

/** Timers of a clock that also goes on while callbacks run. */
const setUp = () => {
  const time = makeVirtualTime(0)
  let busyMs = 0
  const timers: TimersShape = {
    ...time.timers,
    now: () => time.timers.now() + busyMs,
    after: (ms, callback) => time.timers.after(ms, callback)
  }
  const work = function* (name: string, each: number, done: Array<string>): Run<number> {
    for (let step = 0; step < 20; step++) {
      busyMs += each
      done.push(name)
      yield { kind: "turn" }
    }
    return 0
  }
  const done: Array<string> = []
  const start = (name: string, each: number) => {
    const driver = new RunDriver(timers, work(name, each, done), { elapsedMs: 0 }, 0, {
      isFull: () => false,
      output: () => {},
      waits: () => true,
      ended: () => done.push(`${name} ended`)
    })
    driver.start()
    return driver
  }
  return { done, start, runMs: (ms: number) => time.runUntil(time.timers.now() + ms) }
}

describe("commands that take the processor's time", () => {
  it("share it: together they take a short turn, then others of the process have theirs", () => {
    const { done, runMs, start } = setUp()
    for (const name of ["a", "b", "c"]) start(name, 2)
    for (const turns of ["a", "aa", "aab", "aabc", "aabca"]) {
      assert.strictEqual(done.join(""), [...turns].map((name) => name.repeat(3)).join(""))
      runMs(1)
    }
    runMs(100)
    assert.deepStrictEqual(done.filter((one) => one.endsWith("ended")).toSorted(), ["a ended", "b ended", "c ended"])
    assert.strictEqual(done.length, 63)
  })

  it("do nothing once they are stopped, also while they wait for their turn", () => {
    const { done, runMs, start } = setUp()
    const [first, second] = [start("a", 9), start("b", 9)]
    first.stop()
    runMs(2)
    assert.deepStrictEqual(done.slice(0, 2), ["a", "b"])
    second.pause()
    const before = done.length
    runMs(100)
    assert.strictEqual(done.length, before)
    second.resume()
    runMs(100)
    assert.strictEqual(done.at(-1), "b ended")
  })
})
