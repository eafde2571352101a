import { assert, describe, it } from "@effect/vitest"
import { KeyOrder } from "../src/internal/KeyOrder.ts"

describe("jobs with keys", () => {
  /** Runs jobs that end when their name is released, and records when each starts. */
  const recorder = () => {
    const order = new KeyOrder()
    const started: Array<string> = []
    const ends = new Map<string, () => void>()
    const run = (name: string, ...keys: ReadonlyArray<string>) =>
      order.run(keys, (done) => {
        started.push(name)
        ends.set(name, done)
      })
    return { order, started, run, end: (name: string) => ends.get(name)?.() }
  }

  it("wait for earlier ones with a common key only", () => {
    const { end, order, run, started } = recorder()
    run("one", "a")
    run("two", "b")
    run("three", "a", "b")
    run("four", "c")
    run("five", "b")
    assert.deepStrictEqual(started, ["one", "two", "four"])
    end("two")
    assert.deepStrictEqual(started, ["one", "two", "four"])
    end("one")
    assert.deepStrictEqual(started, ["one", "two", "four", "three"])
    assert.strictEqual(order.size, 3)
    end("three")
    assert.deepStrictEqual(started.slice(4), ["five"])
  })

  it("wait for nothing once all are done", () => {
    const { end, order, run, started } = recorder()
    run("one", "a")
    end("one")
    run("two", "a")
    end("two")
    assert.deepStrictEqual([started, order.size], [["one", "two"], 0])
  })
})
