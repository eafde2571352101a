import { assert, describe, it } from "@effect/vitest"
import { wireTypeOf } from "@rollcall/api/wire"
import type { PatchRequest } from "@rollcall/cluster"
import { inOrder, sortedAsPatched } from "../../../src/core/pipeline/strictOrder.ts"

const request = (patchType: PatchRequest["patchType"], body: unknown = {}): PatchRequest => ({
  verb: "patch",
  kind: "ConfigMap",
  name: "a",
  patchType,
  body
})

// As kube-apiserver v1.36.2 orders them.
describe("unknown fields of a patched object", () => {
  it("are sorted as texts after a strategic patch", () => {
    const errors = ["b", "ports[2].x", "ports[10].x", "a"]
    const unused = () => assert.fail("the object is not read again")
    assert.deepStrictEqual(inOrder(errors, "strategic", unused), ["a", "b", "ports[10].x", "ports[2].x"])
  })
  it("are those of the object with sorted keys after other patches", () => {
    assert.deepStrictEqual(
      inOrder(["b", "a"], "merge", () => ["a", "b"]),
      ["a", "b"]
    )
    const unused = () => assert.fail("the object is not read again")
    assert.deepStrictEqual(inOrder(["b"], "merge", unused), ["b"])
  })
  it("keep their order in what a JSON patch adds and leaves", () => {
    const value = { z: 1, y: [{ d: 1, c: 2 }] }
    const patched = { s: { z: 1, b: 2 }, n: { l: [value], a: 1 } }
    const orderOf = (object: unknown) => JSON.stringify(object)
    assert.strictEqual(
      orderOf(sortedAsPatched(patched, request("json", [{ op: "add", path: "/n/l/-", value }]))),
      '{"n":{"a":1,"l":[{"z":1,"y":[{"d":1,"c":2}]}]},"s":{"b":2,"z":1}}'
    )
    assert.strictEqual(
      orderOf(sortedAsPatched(patched, request("merge"))),
      '{"n":{"a":1,"l":[{"y":[{"c":2,"d":1}],"z":1}]},"s":{"b":2,"z":1}}'
    )
  })

  it("is that of its struct in a part that a JSON patch moves", () => {
    const metadata = { labels: { b: "1", a: "2" }, uid: "u", name: "n" }
    const moved = request("json", [{ op: "move", from: "/metadata", path: "/spec" }])
    const sorted = sortedAsPatched({ spec: metadata }, moved, { document: { metadata }, type: wireTypeOf("Pod") })
    assert.strictEqual(JSON.stringify(sorted), '{"spec":{"name":"n","uid":"u","labels":{"a":"2","b":"1"}}}')
  })

  it("is that of its struct in an item of a list that a JSON patch copies", () => {
    const containers = [{ ports: [], image: "i", name: "c" }]
    const copied = request("json", [{ op: "copy", from: "/spec/containers/0", path: "/metadata/annotations" }])
    const patched = { spec: { containers }, metadata: { annotations: containers[0] } }
    const sorted = sortedAsPatched(patched, copied, { document: { spec: { containers } }, type: wireTypeOf("Pod") })
    const item = '{"name":"c","image":"i","ports":[]}'
    assert.strictEqual(JSON.stringify(sorted), `{"metadata":{"annotations":${item}},"spec":{"containers":[${item}]}}`)
  })
})
