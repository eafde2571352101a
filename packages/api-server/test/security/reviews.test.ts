import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, Status } from "@rollcall/api"
import { kubelet, makeSecuredTestServer, person } from "./securedTestServer.ts"

const admin = person("admin", "system:masters")
const alice = person("alice", "developers")
const testServer = makeSecuredTestServer()

const statusOf = (answer: KubeObject | Status) => (answer as { readonly status?: unknown }).status
const getNodes = { resourceAttributes: { verb: "get", resource: "nodes" } }

describe("SelfSubjectAccessReview", () => {
  const ask = (spec: object, who = alice) => testServer.review(who, "SelfSubjectAccessReview", { spec })
  it("answers yes or no, with the reason", () => {
    assert.deepStrictEqual(statusOf(ask(getNodes, admin)), { allowed: true })
    assert.deepStrictEqual(statusOf(ask(getNodes)), { allowed: false })
    assert.deepStrictEqual(statusOf(ask(getNodes, kubelet("n1"))), {
      allowed: false,
      reason: "node 'n1' cannot read all nodes, only its own Node object"
    })
    assert.deepStrictEqual(statusOf(ask({ nonResourceAttributes: { verb: "get", path: "/healthz" } })), {
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"'
    })
  })
  it("treats field selectors as requirements", () => {
    const requirements = [{ key: "spec.nodeName", operator: "In", values: ["n1"] }]
    const resourceAttributes = { verb: "list", resource: "pods", fieldSelector: { requirements } }
    assert.deepStrictEqual(statusOf(ask({ resourceAttributes }, kubelet("n1"))), { allowed: true })
    assert.deepInclude(statusOf(ask({ resourceAttributes }, kubelet("n2"))) as object, { allowed: false })
  })
  const refused: ReadonlyArray<readonly [object, string]> = [
    [
      {},
      "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified"
    ],
    [
      { ...getNodes, nonResourceAttributes: { verb: "get", path: "/" } },
      'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: cannot be specified in combination with resourceAttributes'
    ]
  ]
  it.each(refused)("refuses %j", (spec, why) => {
    assert.strictEqual((ask(spec) as Status).message, `.authorization.k8s.io "" is invalid: ${why}`)
  })
})

describe("SubjectAccessReview", () => {
  it("asks for another user", () => {
    const spec = {
      user: "system:node:n1",
      groups: ["system:nodes"],
      resourceAttributes: { verb: "create", resource: "nodes" }
    }
    assert.deepStrictEqual(statusOf(testServer.review(admin, "SubjectAccessReview", { spec })), { allowed: true })
  })
  it("requires a user, and permission to ask", () => {
    const answer = testServer.review(admin, "SubjectAccessReview", { spec: getNodes }) as Status
    assert.strictEqual(
      answer.message,
      '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified'
    )
    assert.strictEqual((testServer.review(alice, "SubjectAccessReview", { spec: getNodes }) as Status).code, 403)
  })
})

describe("LocalSubjectAccessReview", () => {
  const ask = (namespace: string) =>
    testServer.review(
      admin,
      "LocalSubjectAccessReview",
      { spec: { user: "alice", resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } } },
      { namespace }
    )
  it("requires its own namespace", () => {
    assert.deepStrictEqual(statusOf(ask("default")), { allowed: false })
    assert.strictEqual(
      (ask("other") as Status).message,
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "default": must match metadata.namespace'
    )
  })
})

describe("SelfSubjectRulesReview", () => {
  it("lists the rules, and requires a namespace", () => {
    const status = statusOf(testServer.review(alice, "SelfSubjectRulesReview", { spec: { namespace: "default" } }))
    assert.deepInclude(status as object, { incomplete: false })
    assert.strictEqual(
      (testServer.review(alice, "SelfSubjectRulesReview", { spec: {} }) as Status).message,
      "no namespace on request"
    )
  })
})

describe("SelfSubjectReview", () => {
  it("returns the caller and the time", () => {
    const answer = testServer.review({ ...alice, uid: "7", extra: { a: ["b"] } }, "SelfSubjectReview", {})
    assert.deepStrictEqual(answer, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
      metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
      status: {
        userInfo: { username: "alice", uid: "7", groups: ["developers", "system:authenticated"], extra: { a: ["b"] } }
      }
    } as KubeObject)
  })
})
