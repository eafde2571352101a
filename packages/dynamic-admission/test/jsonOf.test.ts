import { assert, describe, it } from "@effect/vitest"
import { type Key, MessageValue, type Value } from "@rollcall/cel"
import { jsonOf, messageFault } from "../src/cel/jsonOf.ts"

describe("the JSON of a CEL integer", () => {
  it("is a number where that is exact, and keeps its digits elsewhere", () => {
    assert.strictEqual(jsonOf(5n), 5)
    assert.strictEqual(jsonOf(9007199254740993n), 9007199254740993n)
    assert.strictEqual(JSON.stringify(jsonOf(9223372036854775807n)), "9223372036854775807")
  })
})

describe("the names of messages", () => {
  it("are all told where they are not the paths of their fields", () => {
    const message = (name: string, field: string, value: Value) =>
      new MessageValue(name, new Map<Key, Value>([[field, value]]))
    const env = message("Object.env.item", "name", "A")
    const whole = message("Object", "items", message("Object.items.item", "env", env))
    assert.strictEqual(messageFault(whole, "Object")?.split("\n").length, 2)
    assert.match(
      messageFault(env, "Object.env") ?? "",
      /^unexpected type name "Object.env.item", expected "Object.env", /
    )
  })
})
