import { assert, describe, it } from "@effect/vitest"
import type { KindName, KubeObject, Status } from "@rollcall/api"
import type { UserInfo } from "../../src/core/admission/Admission.ts"
import { makeSecuredTestServer, person } from "./securedTestServer.ts"

const group = "admissionregistration.k8s.io"
const rbac = "rbac.authorization.k8s.io"
const admin = person("admin", "system:masters")
const alice: UserInfo = {
  user: "alice",
  uid: "7",
  groups: ["dev", "system:authenticated"],
  extra: { b: ["2"], a: ["1"] }
}
const who = "&{alice 7 [dev system:authenticated] map[a:[1] b:[2]]}"

const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }]
const policySpec = (paramKind: object | undefined) => ({
  ...(paramKind && { paramKind }),
  matchConstraints: { resourceRules: rules },
  validations: [{ expression: "true" }]
})
const bindingSpec = (paramRef: object | undefined) => ({
  policyName: "p",
  validationActions: ["Deny"],
  ...(paramRef && { paramRef: { parameterNotFoundAction: "Deny", ...paramRef } })
})

/** A server where alice may write policies and bindings, and whatever else the rules allow. */
const makeServer = (more: ReadonlyArray<object> = []) => {
  const server = makeSecuredTestServer()
  let resourceVersion = ""
  const write = (user: UserInfo, kind: string, name: string, rest: object, verb: "create" | "update" = "create") => {
    const metadata = { name, ...(verb === "update" && { resourceVersion }) }
    const apiVersion = `${kind.startsWith("Cluster") ? rbac : group}/v1`
    const object = { apiVersion, kind, metadata, ...rest } as unknown as KubeObject
    const request = { kind: kind as KindName, object }
    const answer = server.as(user, verb === "create" ? { verb, ...request } : { verb, name, ...request })
    resourceVersion = answer.metadata?.resourceVersion ?? ""
    return answer.kind === "Status" ? (answer as Status).message : undefined
  }
  const writes = { apiGroups: [group], resources: ["*"], verbs: ["create", "update"] }
  assert.isUndefined(write(admin, "ClusterRole", "r", { rules: [writes, ...more] }))
  const subjects = [{ apiGroup: rbac, kind: "User", name: "alice" }]
  const roleRef = { apiGroup: rbac, kind: "ClusterRole", name: "r" }
  assert.isUndefined(write(admin, "ClusterRoleBinding", "r", { roleRef, subjects }))
  return { write }
}

const configMaps = { apiVersion: "v1", kind: "ConfigMap" }

describe("a policy with parameters", () => {
  const kind = "ValidatingAdmissionPolicy"
  const message = `${kind}.${group} "p" is invalid: spec.paramKind: Forbidden: user ${who} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`

  it("is written by who may read all of them", () => {
    const { write } = makeServer()
    assert.strictEqual(write(alice, kind, "p", { spec: policySpec(configMaps) }), message)
    assert.isUndefined(write(admin, kind, "p", { spec: policySpec(configMaps) }))
    assert.isUndefined(write(alice, kind, "q", { spec: policySpec(undefined) }))
    const readers = makeServer([{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }])
    assert.isUndefined(readers.write(alice, kind, "p", { spec: policySpec(configMaps) }))
  })

  it("is changed by others if the kind of its parameters stays", () => {
    const { write } = makeServer()
    write(admin, kind, "p", { spec: policySpec(configMaps) })
    const changed = { ...policySpec(configMaps), failurePolicy: "Ignore" }
    assert.isUndefined(write(alice, kind, "p", { spec: changed }, "update"))
    const secrets = policySpec({ apiVersion: "v1", kind: "Secret" })
    assert.include(write(alice, kind, "p", { spec: secrets }, "update"), "kind=Secret")
  })

  it("is refused for its own faults first", () => {
    const { write } = makeServer()
    const spec = { ...policySpec(configMaps), validations: [] }
    const refused = write(alice, kind, "p", { spec })
    assert.include(refused, "spec.validations: Required value")
    assert.notInclude(refused, "spec.paramKind")
  })
})

describe("a binding with parameters", () => {
  const lacking = (verb: string) =>
    `to determine minimum required permissions and user ${who} does not have "${verb}" permission for all groups, versions and resources`
  const refusal = (kind: string, why: string) => `${kind}.${group} "b" is invalid: spec.paramRef: Forbidden: ${why}`

  it("is written by who may read them", () => {
    const kind = "ValidatingAdmissionPolicyBinding"
    const { write } = makeServer([{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["c"], verbs: ["get"] }])
    const spec = (name: string) => ({ spec: bindingSpec({ name }) })
    assert.strictEqual(write(alice, kind, "b", spec("c")), refusal(kind, `unable to get policy p ${lacking("get")}`))
    write(admin, "ValidatingAdmissionPolicy", "p", { spec: policySpec(configMaps) })
    const denied = `user ${who} does not have "get" permission on the object referenced by paramRef`
    assert.strictEqual(write(alice, kind, "b", spec("d")), refusal(kind, denied))
    assert.isUndefined(write(alice, kind, "b", spec("c")))
    assert.isUndefined(write(alice, kind, "e", { spec: bindingSpec(undefined) }))
  })

  it("needs all permissions if the kind is not served", () => {
    const kind = "ValidatingAdmissionPolicyBinding"
    const { write } = makeServer()
    write(admin, "ValidatingAdmissionPolicy", "p", { spec: policySpec({ apiVersion: "x.y/v1", kind: "Z" }) })
    const why = `unable to resolve paramKind &{x.y/v1 Z} ${lacking("list")}`
    assert.strictEqual(write(alice, kind, "b", { spec: bindingSpec({ selector: {} }) }), refusal(kind, why))
  })

  it("is refused a change that keeps them, too", () => {
    const kind = "MutatingAdmissionPolicyBinding"
    const { write } = makeServer()
    const { validationActions: _, ...spec } = bindingSpec({ name: "c" })
    assert.isUndefined(write(admin, kind, "b", { spec }))
    assert.include(write(alice, kind, "b", { spec }, "update"), `${kind}.${group} "b" is invalid: spec.paramRef`)
  })
})
