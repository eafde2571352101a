import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, ListOf } from "@rollcall/api"
import type { ListRequest } from "@rollcall/cluster"
import { makeTestServer, node } from "./testServer.ts"

const seen = ({ items, metadata }: ListOf<"ConfigMap">) => ({
  names: items.map((item) => item.metadata.name),
  isLast: metadata?.continue === undefined
})

describe("a list of one name", () => {
  const make = () => {
    const testServer = makeTestServer()
    const [first] = ["a", "b", "c"].map((name) =>
      testServer.create("ConfigMap", { metadata: { name, namespace: "default" } })
    )
    const resourceVersion = (first as KubeObject).metadata.resourceVersion ?? ""
    const list = (options: Partial<ListRequest>) => testServer.list("ConfigMap", options) as ListOf<"ConfigMap">
    const named = { fieldSelector: "metadata.name=b", limit: 1 } as const
    return { list, named, resourceVersion, testServer }
  }

  it("is of one object: a limit does not make its revision exact, and it has no further page", () => {
    const { list, named, resourceVersion, testServer } = make()
    const at = { ...named, namespace: "default", resourceVersion }
    assert.deepStrictEqual(seen(list(at)), { names: ["b"], isLast: true })
    assert.deepStrictEqual(seen(list({ ...at, resourceVersionMatch: "Exact" })), { names: [], isLast: true })
    testServer.create("Node", node("n"))
    const nodes = { fieldSelector: "metadata.name=n", limit: 1, resourceVersion }
    assert.strictEqual(testServer.list("Node", nodes).items.length, 1)
  })

  it("is of all objects in all namespaces, or behind a token", () => {
    const { list, named, resourceVersion } = make()
    assert.deepStrictEqual(seen(list({ ...named, resourceVersion })), { names: [], isLast: true })
    assert.deepStrictEqual(seen(list(named)), { names: ["b"], isLast: false })
    const token = list({ namespace: "default", limit: 1 }).metadata?.continue ?? ""
    const next = { ...named, namespace: "default", continue: token }
    assert.deepStrictEqual(seen(list(next)), { names: ["b"], isLast: false })
  })
})
