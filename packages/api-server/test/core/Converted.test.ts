import type { KubeObject } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { Converted } from "../../src/core/registry/Converted.ts"

const stored: KubeObject = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } }

type Reply = (result: Result.Result<KubeObject, string>) => void

/** Conversions that are answered by hand. */
const makeConverted = () => {
  const replies: Array<Reply> = []
  const fromStorage = (_: KubeObject, done: Reply) => void replies.push(done)
  return { replies, converted: new Converted({ fromStorage } as never) }
}

describe("a conversion that several requests wait for", () => {
  it("is told to all, also if one of them throws", () => {
    const { converted, replies } = makeConverted()
    const told: Array<string | undefined> = []
    converted.prepare(stored, false, () => {
      throw new Error("broken")
    })
    converted.prepare(stored, false, (why) => told.push(why))
    assert.lengthOf(replies, 1)
    assert.throws(() => replies[0]?.(Result.fail("no webhook")), "broken")
    assert.deepStrictEqual(told, ["no webhook"])
  })

  it("is begun anew after one that threw", () => {
    let isBroken = true
    const fromStorage = (object: KubeObject, done: Reply) => {
      if (isBroken) throw new Error("broken")
      done(Result.succeed(object))
    }
    const converted = new Converted({ fromStorage } as never)
    assert.throws(() => converted.prepare(stored, false, () => {}), "broken")
    isBroken = false
    const told: Array<KubeObject | undefined> = []
    converted.prepare(stored, false, (_, object) => told.push(object))
    assert.deepStrictEqual(told, [stored])
  })
})
