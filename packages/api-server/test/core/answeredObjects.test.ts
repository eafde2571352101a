import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionPlugin } from "../../src/core/index.ts"
import { makeTestServer, node } from "./testServer.ts"

describe("the object that an answer is about", () => {
  it("has the name that admission gave it, in a refusal of an update", () => {
    const renaming: AdmissionPlugin = {
      name: "Renaming",
      admits: (kind) => kind === "Node",
      mutate: ({ object, verb }) =>
        Result.succeed(
          object === undefined || verb !== "update"
            ? object
            : { ...object, metadata: { ...object.metadata, name: "other" } }
        )
    }
    const testServer = makeTestServer({ admission: [renaming] })
    testServer.create("Node", node("n"))
    const object = { kind: "Node", name: "n", object: node("n") as KubeObject } as const
    for (const request of [
      { ...object, verb: "update" },
      { verb: "patch", kind: "Node", name: "n", patchType: "merge", body: { metadata: { labels: { a: "1" } } } }
    ] as const) {
      const { details, message } = testServer.refusalOf(request)
      assert.match(
        message ?? "",
        /^Node "other" is invalid: .*metadata.name: Invalid value: "other": field is immutable/
      )
      assert.strictEqual(details?.name, "other")
    }
  })

  it("is as sent, if the update removes it with its last finalizer", () => {
    const testServer = makeTestServer()
    const named = (metadata: object) => node("n", { metadata: { name: "n", ...metadata } }) as KubeObject
    testServer.create("Node", named({ finalizers: ["a.io/x"] }))
    testServer.ask({ verb: "delete", kind: "Node", name: "n" })
    const update = (metadata: object) =>
      testServer.ask({ verb: "update", kind: "Node", name: "n", object: named(metadata) }) as KubeObject
    assert.strictEqual(
      update({ finalizers: ["a.io/x"], labels: { a: "1" }, selfLink: "/n" }).metadata.selfLink,
      undefined
    )
    assert.strictEqual(update({ selfLink: "/n" }).metadata.selfLink, "/n")
    assert.isUndefined(testServer.get("Node", "n"))
  })
})
