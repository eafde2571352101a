import { assert, describe, it } from "@effect/vitest"
import { wireTypeNamed } from "@rollcall/api/wire"
import type { PatchRequest } from "@rollcall/cluster"
import { shownPatch } from "../../../src/core/pipeline/shownPatch.ts"
import type { KindDefinition } from "../../../src/core/registry/KindDefinition.ts"

const pod = { resource: { kind: "Pod" } } as KindDefinition
const podType = wireTypeNamed("io.k8s.api.core.v1.Pod") ?? assert.fail("no Pod")

const document = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", labels: { b: "1", a: "<2>" } },
  spec: { containers: [{ image: "i", name: "c" }], nodeName: "n" }
}

const shown = (patchType: PatchRequest["patchType"], body: unknown, patched: unknown) =>
  shownPatch(pod, { patchType, body } as PatchRequest, document, patched, podType)

describe("the value that the error of a refused patch shows", () => {
  it("has sorted keys where a merge patch leads, and those of Go's struct elsewhere", () => {
    const body = { spec: { priority: "x" } }
    const patched = { ...document, spec: { ...document.spec, priority: "x" } }
    assert.strictEqual(
      shown("merge", body, patched),
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"\\u003c2\\u003e","b":"1"}},"spec":{"containers":[{"name":"c","image":"i"}],"nodeName":"n","priority":"x"}}'
    )
  })

  it("keeps the text of a value that replaces a map", () => {
    const body = { metadata: [{ z: 1, a: 2 }] }
    assert.include(shown("merge", body, { ...document, ...body }), '"metadata":[{"z":1,"a":2}]')
    const added = { spec: { tolerations: [{ operator: 1, key: "k" }] } }
    const patched = { ...document, spec: { ...document.spec, ...added.spec } }
    assert.include(shown("merge", added, patched), '"tolerations":[{"key":"k","operator":1}]')
  })

  it("has sorted keys in a list that is no object to merge", () => {
    const body = [{ kind: "Pod", apiVersion: "v1", spec: { b: 1, a: 2 } }]
    assert.strictEqual(shown("merge", body, body), '[{"apiVersion":"v1","kind":"Pod","spec":{"a":2,"b":1}}]')
  })

  it("has sorted keys along the paths of a JSON patch", () => {
    const body = [{ op: "add", path: "/spec/containers/0/env", value: [{ value: 1, name: "e" }] }]
    const containers = [{ ...document.spec.containers[0], env: [{ value: 1, name: "e" }] }]
    const text = shown("json", body, { ...document, spec: { ...document.spec, containers } })
    assert.include(
      text,
      '"spec":{"containers":[{"env":[{"value":1,"name":"e"}],"image":"i","name":"c"}],"nodeName":"n"}'
    )
    assert.include(text, '"metadata":{"name":"p","labels":{"a"')
  })

  it("has a value that a JSON patch copies or moves as its place in the document had it", () => {
    const [container] = document.spec.containers
    const body = [{ op: "copy", from: "/spec/containers/0", path: "/metadata/annotations" }]
    const copied = shown("json", body, { ...document, metadata: { ...document.metadata, annotations: container } })
    assert.include(copied, '"annotations":{"name":"c","image":"i"}')
    const { metadata, ...rest } = document
    const moved = shown("json", [{ op: "move", from: "/metadata", path: "/status" }], { ...rest, status: metadata })
    assert.include(moved, '"status":{"name":"p","labels":{"a":"\\u003c2\\u003e","b":"1"}}')
  })

  it("is what is left of a strategic patch", () => {
    const left = (body: object) => shown("strategic", body, undefined)
    assert.strictEqual(left({ $patch: "replace", spec: 1 }), "map[spec:1]")
    assert.strictEqual(left({ $patch: "delete", spec: 1 }), "map[$patch:delete spec:1]")
    const ordered = {
      "$setElementOrder/containers": [{ name: "c" }],
      containers: [{ name: "c", image: 7 }],
      nodeName: 5
    }
    assert.strictEqual(left({ spec: ordered }), "map[spec:map[nodeName:5]]")
    const element = { name: "c", image: 7, lifecycle: { $patch: "replace", preStop: { exec: null } } }
    assert.strictEqual(
      left({ spec: { containers: [element], volumes: null } }),
      "map[spec:map[containers:[map[image:7 lifecycle:map[$patch:replace preStop:map[]] name:c]] volumes:<nil>]]"
    )
    assert.strictEqual(
      left({ spec: { affinity: { a: null, b: { c: null } } } }),
      "map[spec:map[affinity:map[b:map[]]]]"
    )
    assert.strictEqual(
      left({ metadata: { labels: { a: "x", $retainKeys: ["a"] } } }),
      "map[metadata:map[labels:map[a:x]]]"
    )
  })
})
