import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { makeTestServer } from "../testServer.ts"

describe("a write to the status", () => {
  it("owns nothing of the metadata that an APIService keeps", () => {
    const to = makeTestServer({ managedFields: true })
    const name = "v1.example.com"
    const spec = { group: "example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 10 }
    const service = { name: "s", namespace: "n" }
    to.create("APIService", { metadata: { name }, spec: { ...spec, service } } as never)
    const patched = to.ask({
      verb: "patch",
      kind: "APIService",
      name,
      subresource: "status",
      patchType: "merge",
      fieldManager: "m",
      body: { metadata: { labels: { a: "b" } }, status: { conditions: [{ type: "Available", status: "True" }] } }
    }) as KubeObject
    assert.isUndefined(patched.metadata.labels)
    const owned = patched.metadata.managedFields?.find(({ manager }) => manager === "m")?.fieldsV1
    assert.deepStrictEqual(Object.keys(owned ?? {}), ["f:status"])
  })
})
