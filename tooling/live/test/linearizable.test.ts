import { assert, describe, it } from "@effect/vitest"
import { linearizationFault, type Operation } from "../src/several/linearizable.ts"

const NEVER = Number.POSITIVE_INFINITY
const read = (value: string, beganMs: number, endedMs: number): Operation => ({
  beganMs,
  endedMs,
  did: { type: "read", value }
})
const swap = (
  from: string,
  to: string,
  beganMs: number,
  endedMs: number,
  told: "swapped" | "refused" | "unknown" = "swapped"
): Operation => ({ beganMs, endedMs, did: { type: "swap", from, to, told } })

const isGood = (...operations: ReadonlyArray<Operation>) => linearizationFault(operations, "0") === undefined

describe("the check of histories of compare-and-swap", () => {
  it("accepts what could have happened one after the other", () => {
    assert.isTrue(isGood())
    assert.isTrue(isGood(swap("0", "a", 0, 10), read("0", 2, 8), read("a", 3, 7)))
    assert.isTrue(isGood(swap("0", "a", 0, 10), swap("0", "b", 0, 10, "refused"), swap("a", "c", 5, 20)))
    // Refused before the swap that it lost to was answered.
    assert.isTrue(isGood(swap("0", "b", 2, 4, "refused"), swap("0", "a", 0, 10)))
  })

  it("accepts a swap without an answer at any time after it began, or never", () => {
    assert.isTrue(isGood(swap("0", "a", 0, NEVER, "unknown"), read("0", 10, 20), read("a", 30, 40)))
    assert.isTrue(isGood(swap("0", "a", 0, NEVER, "unknown"), read("0", 10, 20), swap("0", "b", 30, 40)))
  })

  it("finds a stale read", () => {
    assert.isFalse(isGood(swap("0", "a", 0, 10), read("0", 11, 12)))
    assert.isFalse(isGood(swap("0", "a", 0, 20), read("a", 2, 4), read("0", 5, 6)))
  })

  it("finds a lost write, and a write that was never made", () => {
    assert.isFalse(isGood(swap("0", "a", 0, 10), swap("0", "b", 20, 30)))
    assert.isFalse(isGood(swap("0", "a", 0, 10), read("a", 11, 12), read("0", 13, 14)))
    assert.isFalse(isGood(read("b", 0, 10)))
  })

  it("finds two swaps of one value, and a swap that happened before it began", () => {
    assert.isFalse(isGood(swap("0", "a", 0, 10), swap("0", "b", 0, 10)))
    assert.isFalse(isGood(read("a", 0, 5), swap("0", "a", 6, 10)))
  })

  it("finds a refusal without a reason, and a refused swap that happened", () => {
    assert.isFalse(isGood(swap("0", "a", 0, 10, "refused")))
    assert.isFalse(isGood(swap("0", "b", 0, 10), swap("b", "a", 11, 20, "refused"), read("a", 30, 40)))
  })

  it("finds a swap without an answer that happened twice", () => {
    const twice = [swap("0", "a", 0, NEVER, "unknown"), read("a", 10, 20), swap("a", "b", 30, 40), read("a", 50, 60)]
    assert.isFalse(isGood(...twice))
  })

  it("names what cannot come next", () => {
    const stale = read("0", 11, 12)
    assert.deepStrictEqual(linearizationFault([swap("0", "a", 0, 10), stale], "0"), [stale])
  })

  it("checks thousands of operations of eight clients, and finds one fault among them", () => {
    const history: Array<Operation> = []
    let value = "0"
    for (let at = 0; at < 4000; at++) {
      const next = String(at + 1)
      const beganMs = at * 10
      history.push(swap(value, next, beganMs, beganMs + 30))
      for (let client = 0; client < 7; client++) {
        history.push(
          at % 2 === 0
            ? read(next, beganMs + 12, beganMs + 15)
            : swap(value, `${at}-${client}`, beganMs + 11, beganMs + 35, "refused")
        )
      }
      value = next
    }
    // Each swap is over before the next one begins.
    const ordered = history.map((operation) => ({
      ...operation,
      beganMs: operation.beganMs * 4,
      endedMs: operation.endedMs * 4
    }))
    const spread = ordered.map((operation, index) => ({ ...operation, beganMs: operation.beganMs + 0.001 * index }))
    assert.isUndefined(linearizationFault(spread, "0"))
    assert.isDefined(linearizationFault([...spread, read("7", 100_000, 100_001)], "0"))
  })
})
