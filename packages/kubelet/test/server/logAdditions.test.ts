import { assert, describe, it } from "vitest"
import { LogAdditions } from "../../src/server/streams/LogAdditions.ts"

const part = (length: number, atMs = 0) => ({ atMs, text: "x".repeat(length) })

describe("what commands have written for attached clients", () => {
  it("is bounded for each run: the oldest parts are dropped, and the others keep their numbers", () => {
    const output = new LogAdditions({ each: 500, together: 10_000 })
    for (let number = 0; number < 6; number++) output.write("a", part(100, number))
    assert.deepStrictEqual(
      output.from("a", 0).parts.map(({ atMs }) => atMs),
      [4, 5]
    )
    assert.deepStrictEqual([output.from("a", 5).parts.length, output.from("a", 0).first], [1, 4])
    assert.deepStrictEqual(output.from("b", 3), { parts: [], first: 3 })
    assert.strictEqual(output.heldBytes, 400)
  })

  it("is bounded for all together: those of the run that has been quiet for longest are dropped", () => {
    const output = new LogAdditions({ each: 500, together: 1_000 })
    for (const key of ["a", "b", "c"]) output.write(key, part(200))
    output.write("a", part(150))
    output.write("d", part(100))
    assert.deepStrictEqual(
      ["a", "b", "c", "d"].map((key) => output.from(key, 0).parts.length),
      [1, 0, 1, 1]
    )
    assert.isAtMost(output.heldBytes, 1_000)
  })

  it("is told to those who listen, until they stop", () => {
    const output = new LogAdditions()
    let count = 0
    const stop = output.listen("a", () => count++)
    output.write("a", part(1))
    output.write("b", part(1))
    stop()
    output.write("a", part(1))
    assert.strictEqual(count, 1)
  })
})
