import { decodeObject } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { makeDecoder } from "../src/input/decodeParts.ts"

const containers = [{ name: "c", image: "c:1" }]
const pod = (fields: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", labels: { app: "web" }, ...metadata },
  spec: { containers, ...fields }
})

const textOf = (decoding: Effect.Effect<unknown, unknown>): string =>
  Effect.runSync(Effect.match(decoding, { onFailure: String, onSuccess: (value) => JSON.stringify(value) }))

describe("decoding objects that share parts", () => {
  it.each([
    ["another name", pod({}, { name: "db" })],
    ["a name of a wrong type", pod({}, { name: 1 })],
    ["a null", pod({ nodeName: null }, { creationTimestamp: null })],
    ["another wrong part", pod({ tolerations: {} })],
    ["an invalid time", pod({}, { creationTimestamp: "today" })],
    ["the part in a place where it is wrong", pod({ affinity: containers })],
    ["a part that lacks a field", pod({ containers: [{ image: "c:1" }] })],
    ["no spec", { apiVersion: "v1", kind: "Pod", metadata: { name: "web" } }]
  ])("is decoding each alone: %s", (_, object) => {
    const decode = makeDecoder()
    assert.strictEqual(textOf(decode("Pod", pod({}))), JSON.stringify(pod({})))
    assert.strictEqual(textOf(decode("Pod", object)), textOf(decodeObject("Pod", object)))
    assert.strictEqual(textOf(decode("Pod", object)), textOf(decodeObject("Pod", object)))
  })
})
