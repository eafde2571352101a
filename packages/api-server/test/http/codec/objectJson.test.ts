import type { KubeObject } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { keepWrittenJson, objectJson } from "../../../src/core/watch/objectJson.ts"

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

/** Returns what is answered for an object that the store has written, before it had its revision. */
const jsonAfterWrite = (before: KubeObject): string => {
  const stored = JSON.stringify(before)
  const object = { ...before, metadata: { ...before.metadata, resourceVersion: "43" } }
  keepWrittenJson(object, stored, "43")
  // What is still the stored text is not what the object has become.
  const answered = objectJson(object)
  assert.strictEqual(answered, JSON.stringify(object))
  return answered
}

describe("the JSON of an object just written", () => {
  const metadata = { name: "a", uid: "u", resourceVersion: "42", labels: { resourceVersion: "42" } }

  it("is the stored one at the new revision, made once", () => {
    const { object, times } = makeCountedObject("a")
    keepWrittenJson(Object.assign(object, { metadata }), JSON.stringify({ metadata }), "43")
    assert.include(objectJson(object), '"resourceVersion":"43"')
    assert.strictEqual(times(), 0)
  })

  it("is right for a new object, and for one with quotes in its texts", () => {
    jsonAfterWrite({ apiVersion: "v1", kind: "Pod", metadata: { ...metadata, resourceVersion: "" } } as KubeObject)
    const name = '"resourceVersion":"1"'
    jsonAfterWrite({ apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name } } as KubeObject)
  })

  it("is made anew if something else could come before the revision, or Go writes a null", () => {
    const { labels, ...rest } = metadata
    jsonAfterWrite({ apiVersion: "v1", kind: "Pod", metadata: { labels, ...rest } } as KubeObject)
    jsonAfterWrite({ data: { resourceVersion: "42" }, apiVersion: "v1", kind: "ConfigMap", metadata } as never)
    const empty = { ...metadata, resourceVersion: "43" }
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: empty, rules: [] } as KubeObject
    keepWrittenJson(role, JSON.stringify(role), "43")
    assert.include(objectJson(role), '"rules":null')
  })

  it("is dropped when enough was written since", () => {
    const { object, times } = makeCountedObject("a")
    keepWrittenJson(Object.assign(object, { metadata }), JSON.stringify({ metadata }), "43")
    const data = { key: "x".repeat(300_000) }
    for (let at = 0; at < 4; at++) jsonAfterWrite({ apiVersion: "v1", kind: "ConfigMap", metadata, data } as never)
    objectJson(object)
    assert.strictEqual(times(), 1)
  })
})
