import type { KubeObject } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { KindCache, listedJson } from "../../../src/core/watch/KindCache.ts"

/** An object that counts how often it is encoded. */
const makeCountedObject = (name: string) => {
  let times = 0
  const toJSON = () => {
    times++
    return { name }
  }
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, toJSON }
  return { object: object as KubeObject, times: () => times }
}

describe("the JSON of a listed object", () => {
  it("is cached as long as the object is the listed one, though history keeps the object", () => {
    const cache = new KindCache("/configmaps/", true, undefined, () => {})
    const [first, second] = [makeCountedObject("a"), makeCountedObject("a")]
    const cached = cache.add("default", "a", first.object, 1)
    for (let times = 0; times < 3; times++) listedJson(first.object)
    assert.strictEqual(first.times(), 1)
    cache.update(cached, second.object, 2)
    listedJson(first.object)
    assert.strictEqual(first.times(), 2)
    for (let times = 0; times < 3; times++) listedJson(second.object)
    cache.remove(cached)
    listedJson(second.object)
    assert.strictEqual(second.times(), 2)
  })
})
