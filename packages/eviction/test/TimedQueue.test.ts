import { assert, describe, it } from "vitest"
import { alwaysLimiter, done, RateLimitedQueue, retryAfter } from "../src/rules.ts"
import { isDue } from "../src/TimedQueue.ts"

describe("isDue", () => {
  const entry = { value: "a", addedAt: 0, processAt: 10, strictlyAfter: false }

  it("is true from the due time on, or only after it", () => {
    assert.deepStrictEqual(
      [9, 10, 11].map((now) => isDue(entry, now)),
      [false, true, true]
    )
    const after = { ...entry, strictlyAfter: true }
    assert.deepStrictEqual(
      [9, 10, 11].map((now) => isDue(after, now)),
      [false, false, true]
    )
  })
})

describe("a cleared queue", () => {
  it("forgets all names, queued and processed, and accepts them again", () => {
    const queue = new RateLimitedQueue(alwaysLimiter)
    queue.add("a", 0)
    queue.try(0, () => done)
    queue.add("b", 0)
    queue.clear()
    assert.deepStrictEqual([queue.size, queue.queued(), queue.known()], [0, [], []])
    assert.isFalse(queue.remove("b"))
    assert.isTrue(queue.add("a", 1))
    assert.isTrue(queue.add("b", 1))
    assert.deepStrictEqual(queue.queued().toSorted(), ["a", "b"])
  })

  it("does not requeue a name that was being acted on", () => {
    const queue = new RateLimitedQueue(alwaysLimiter)
    queue.add("a", 0)
    const entry = queue.next(0)
    queue.clear()
    if (entry !== undefined) queue.settle(entry, retryAfter(1), 0)
    assert.deepStrictEqual([queue.size, queue.queued(), queue.next(10)], [0, [], undefined])
  })
})
