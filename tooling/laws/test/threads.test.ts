import { assert, describe, it } from "vitest"
import { checkInThreads } from "../src/threads.ts"

const script = new URL("./oddSeeds.ts", import.meta.url)

const toldBy = async (threads: number, from = 1) => {
  const told: Array<readonly [number, string | undefined]> = []
  await checkInThreads({ from, count: 8, threads, script }, (seed, broken) => told.push([seed, broken?.problem]))
  return told
}

describe("seeds checked in threads", () => {
  it("are told in their order, as by one thread", async () => {
    const told = await toldBy(3)
    assert.deepStrictEqual(
      told,
      [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => [seed, seed % 2 === 1 ? "odd" : undefined])
    )
    assert.deepStrictEqual(await toldBy(1), told)
  })

  it("name the seed of a thread that ends", async () => {
    const failure = await toldBy(2, 10).catch((error: unknown) => error)
    assert.instanceOf(failure, Error)
    assert.strictEqual(failure.message, "seed 13 could not be checked")
    assert.match(String(failure.cause), /the thread ended with code 3/)
  })
})
