import { assert, describe, it } from "@effect/vitest"
import type { KindDefinition } from "../../src/core/registry/KindDefinition.ts"
import type { KindState } from "../../src/core/registry/KindState.ts"
import { kindTable } from "../../src/core/registry/table.ts"
import { routeOf, routeWith } from "../../src/http/request/Routes.ts"
import { openApiKindOf } from "../../src/http/root/openApiKinds.ts"

const kindOf = (definition: KindDefinition) => openApiKindOf(routeOf({ definition } as KindState, []))

describe("what OpenAPI documents say of served kinds", () => {
  it("has the wire type of each kind of the table", () => {
    for (const definition of Object.values(kindTable)) {
      const kind = kindOf(definition)
      assert.isTrue(kind !== undefined && "type" in kind.shape, definition.key)
    }
  })

  it("has the kinds of subresources, and those that connect", () => {
    const { subresources = [] } = kindOf(kindTable.Node) ?? {}
    assert.deepStrictEqual(
      subresources.map(({ gvk, isConnected, name }) => [name, gvk.kind, isConnected]),
      [
        ["proxy", "NodeProxyOptions", true],
        ["status", "Node", false]
      ]
    )
  })

  it("says that a Namespace is not returned when it is deleted, and that a Pod is", () => {
    assert.deepStrictEqual(
      [kindTable.Namespace, kindTable.Pod].map((definition) => kindOf(definition)?.deleteReturnsObject),
      [false, true]
    )
  })

  it("has only creation for a resource that is answered and not stored", () => {
    const names = { kind: "SelfSubjectAccessReview", plural: "selfsubjectaccessreviews", singular: "", shortNames: [] }
    const resource = { group: "authorization.k8s.io", version: "v1", namespaced: false, ...names }
    assert.deepStrictEqual(openApiKindOf(routeWith({ resource }))?.verbs, ["create"])
  })
})
