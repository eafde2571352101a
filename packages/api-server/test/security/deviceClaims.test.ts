import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, ResourceClaim } from "@rollcall/api"
import { fieldErrorText } from "@rollcall/api/validation"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionContext } from "../../src/core/admission/Admission.ts"
import type { Authorizer } from "../../src/core/ports/Security.ts"
import { kindTable } from "../../src/core/registry/table.ts"
import { deviceClaims } from "../../src/security/admission/deviceClaims.ts"
import { makeSecuredTestServer } from "./securedTestServer.ts"

const contextWith = (labels: Readonly<Record<string, string>>): AdmissionContext => ({
  reader: {
    get: (kind, _, name) => ({ apiVersion: "v1", kind, metadata: { name, labels } }) as never,
    list: () => [],
    observe: () => undefined
  },
  now: () => 0,
  updateStatus: (object, done) => done(Result.succeed(object)),
  makeName: (base) => base
})

/** Allows the verbs on the subresources in the list: `update binding`. */
const authorizerOf = (...allowed: ReadonlyArray<string>): Authorizer => ({
  authorize: ({ subresource, verb }) => ({
    decision: allowed.includes(`${verb} ${subresource}`) ? "Allow" : "NoOpinion",
    reason: ""
  }),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false })
})

const result = { request: "r", driver: "d.x", pool: "p", device: "a" }
const selector = {
  nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In" as const, values: ["node-1"] }] }]
}

const claimOf = (status: ResourceClaim["status"], adminAccess = false): ResourceClaim => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name: "a", namespace: "n" },
  spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "x", adminAccess } }] } },
  ...(status && { status })
})

const attributesOf = (object: KubeObject, oldObject: KubeObject | undefined, node = ""): AdmissionAttributes => ({
  verb: oldObject === undefined ? "create" : "update",
  kind: "ResourceClaim",
  resource: kindTable.ResourceClaim.resource,
  subresource: oldObject === undefined ? undefined : "status",
  namespace: "n",
  name: "a",
  object,
  oldObject,
  userInfo: {
    user: node === "" ? "alice" : "system:serviceaccount:n:driver",
    groups: [],
    ...(node !== "" && { extra: { "authentication.kubernetes.io/node-name": [node] } })
  },
  dryRun: false
})

const messageOf = (authorizer: Authorizer, attributes: AdmissionAttributes, context = contextWith({})) =>
  deviceClaims(authorizer).check?.(attributes, context).map(fieldErrorText).join(", ")

describe("claims of devices", () => {
  it("have administrative access only in namespaces with the label", () => {
    const attributes = attributesOf(claimOf(undefined, true), undefined)
    assert.strictEqual(
      messageOf(authorizerOf(), attributes),
      "spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace"
    )
    const labelled = contextWith({ "resource.kubernetes.io/admin-access": "true" })
    assert.strictEqual(messageOf(authorizerOf(), attributes, labelled), "")
  })

  it("are refused for it before anything that is wrong with themselves, all in one answer", () => {
    const testServer = makeSecuredTestServer()
    const devices = { requests: [{ name: "r", exactly: { deviceClassName: "C_", adminAccess: true } }] }
    const fieldsOf = (kind: "ResourceClaim" | "ResourceClaimTemplate", name: string, spec: object) =>
      testServer
        .refusalOf({
          verb: "create",
          kind,
          namespace: "default",
          object: { apiVersion: "resource.k8s.io/v1", kind, metadata: { name, namespace: "default" }, spec }
        })
        .details?.causes?.map(({ field }) => field)
    const admin = "spec.devices.requests[0].adminAccess"
    assert.deepStrictEqual(fieldsOf("ResourceClaim", "a", { devices }), [
      admin,
      "spec.devices.requests[0].exactly.deviceClassName"
    ])
    assert.deepStrictEqual(fieldsOf("ResourceClaimTemplate", "A_", { spec: { devices } }), [
      admin,
      "metadata.name",
      "spec.spec.devices.requests[0].exactly.deviceClassName"
    ])
  })

  it("are allocated by who may bind them", () => {
    const attributes = attributesOf(claimOf({ allocation: { devices: { results: [result] } } }), claimOf({}))
    assert.strictEqual(
      messageOf(authorizerOf(), attributes),
      'status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: resourceclaims.resource.k8s.io is forbidden: User "alice" cannot update resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope'
    )
    assert.strictEqual(messageOf(authorizerOf("update binding"), attributes), "")
  })

  it("take the verb of the request: a patch needs the right to patch", () => {
    const attributes = attributesOf(claimOf({ allocation: { devices: { results: [result] } } }), claimOf({}))
    const asked = (verb: "patch" | "update") => {
      const request = { verb, kind: "ResourceClaim", namespace: "n", name: "a", subresource: "status" } as never
      return {
        ...attributes,
        exchange: { request, isAnswered: false, warn: () => undefined, annotate: () => undefined }
      }
    }
    assert.strictEqual(messageOf(authorizerOf("patch binding"), asked("patch")), "")
    assert.include(messageOf(authorizerOf("update binding"), asked("patch")), 'resourceclaims/binding", verb="patch"')
    assert.strictEqual(messageOf(authorizerOf("update binding"), asked("update")), "")
  })

  it("are described by the driver on the node of the devices", () => {
    const allocation = { devices: { results: [result] }, nodeSelector: selector }
    const described = claimOf({ allocation, devices: [{ driver: "d.x", pool: "p", device: "a" }] })
    const onNode = authorizerOf("associated-node:update driver")
    assert.strictEqual(messageOf(onNode, attributesOf(described, claimOf({ allocation }), "node-1")), "")
    assert.include(
      messageOf(onNode, attributesOf(described, claimOf({ allocation }), "node-2")),
      'changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:update]" permission: resourceclaims.resource.k8s.io "d.x" is forbidden'
    )
  })
})
