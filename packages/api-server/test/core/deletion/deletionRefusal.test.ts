import { assert, describe, it } from "@effect/vitest"
import { type Lease, resourceOf } from "@rollcall/api"
import { deleteOptionsRefusal, preconditionRefusal } from "../../../src/core/deletion/Deletion.ts"

const lease: Lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "n", uid: "u1", resourceVersion: "7" },
  spec: {}
}

describe("refusals of deletes", () => {
  it("are worded by the kind itself only where it is deleted alone", () => {
    const definition = { ...lease, apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" }
    const resource = { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" }
    const refusal = (isOfCollection: boolean) =>
      preconditionRefusal(resource, definition, { preconditions: { uid: "u2" } }, isOfCollection)?.message
    const begin = "Operation cannot be fulfilled on"
    assert.strictEqual(
      refusal(false),
      `${begin} customresourcedefinitions.apiextensions.k8s.io "n": Precondition failed: UID in precondition: u2, UID in object meta: u1`
    )
    assert.strictEqual(
      refusal(true),
      `${begin} CustomResourceDefinition.apiextensions.k8s.io "n": the UID in the precondition (u2) does not match the UID in record (u1). The object might have been deleted and then recreated`
    )
  })

  it("name the kind, and both sides of a broken precondition", () => {
    const uid = preconditionRefusal(resourceOf("Lease"), lease, { preconditions: { uid: "u2" } })
    assert.deepStrictEqual(
      [uid?.code, uid?.message],
      [
        409,
        'Operation cannot be fulfilled on Lease.coordination.k8s.io "n": the UID in the precondition (u2) does not match the UID in record (u1). The object might have been deleted and then recreated'
      ]
    )
    const version = preconditionRefusal(resourceOf("Lease"), lease, {
      preconditions: { uid: "u1", resourceVersion: "6" }
    })
    assert.include(version?.message, "the ResourceVersion in the precondition (6) does not match")
    assert.isUndefined(
      preconditionRefusal(resourceOf("Lease"), lease, { preconditions: { uid: "u1", resourceVersion: "7" } })
    )
  })

  it("refuse a policy that is given in two ways", () => {
    const status = deleteOptionsRefusal({ orphanDependents: true, propagationPolicy: "Orphan" })
    assert.strictEqual(status?.code, 422)
    assert.strictEqual(status?.details?.kind, "DeleteOptions")
    assert.isUndefined(deleteOptionsRefusal({ propagationPolicy: "Orphan", gracePeriodSeconds: -1 }))
  })
})
