import { assert, describe, it } from "@effect/vitest"
import { makeVirtualTime } from "@rollcall/time"
import { GuardedCall } from "../../src/client/GuardedCall.ts"

const makeCall = () => {
  const errors: Array<string> = []
  const results: Array<string> = []
  const { timers } = makeVirtualTime(0, {
    handleError: (source, error, fields) => errors.push(`${source}: ${error} ${JSON.stringify(fields)}`)
  })
  const call = new GuardedCall<string>(timers, "webhook", { webhook: "w" }, (result) => {
    results.push(result)
    if (result === "odd") throw new Error("of the caller")
  })
  return { call, errors, results }
}

describe("GuardedCall", () => {
  it("ends with the failure when a part throws, and hands the error on", () => {
    const { call, errors, results } = makeCall()
    call.run(
      () => {
        throw new Error("odd")
      },
      () => "failed"
    )
    assert.deepStrictEqual(results, ["failed"])
    assert.deepStrictEqual(errors, ['webhook: Error: odd {"webhook":"w"}'])
    assert.isTrue(call.isOver)
  })

  it("has one result, and runs nothing afterwards", () => {
    const { call, errors, results } = makeCall()
    call.finish("first")
    call.finish("second")
    call.run(
      () => assert.fail("ran"),
      () => "third"
    )
    assert.deepStrictEqual([results, errors], [["first"], []])
  })

  it("survives an error of whoever takes the result", () => {
    const { call, errors, results } = makeCall()
    call.run(
      () => call.finish("odd"),
      () => "failed"
    )
    assert.deepStrictEqual(results, ["odd"])
    assert.deepStrictEqual(errors, ['webhook: Error: of the caller {"webhook":"w"}'])
  })
})
