import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, PolicyRule, Status } from "@rollcall/api"
import type { UserInfo } from "../../src/core/admission/Admission.ts"
import type { RequestAttributes } from "../../src/core/ports/Security.ts"
import { kubelet, makeSecuredTestServer, person, type SecuredTestServer } from "./securedTestServer.ts"

const apiVersion = "rbac.authorization.k8s.io/v1"
const alice = person("alice", "developers")

const ruleFor = (verbs: string, resources: string, more: object = {}) => ({
  verbs: verbs.split(" "),
  apiGroups: [""],
  resources: resources.split(" "),
  ...more
})

const grant = (
  testServer: SecuredTestServer,
  name: string,
  rules: ReadonlyArray<object>,
  subject: object,
  cluster = false
) => {
  const kind = cluster ? "ClusterRole" : "Role"
  const metadata = cluster ? { name } : { name, namespace: "default" }
  testServer.create(kind, { apiVersion, kind, metadata, rules })
  testServer.create(cluster ? "ClusterRoleBinding" : "RoleBinding", {
    apiVersion,
    kind: cluster ? "ClusterRoleBinding" : "RoleBinding",
    metadata,
    subjects: [subject],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name }
  })
}

const user = (name: string) => ({ kind: "User", apiGroup: "rbac.authorization.k8s.io", name })

const attributesFor = (
  who: UserInfo,
  verb: string,
  resource: string,
  more: Partial<RequestAttributes> = {}
): RequestAttributes => ({
  user: who,
  verb,
  isResource: true,
  path: "",
  group: "",
  version: "v1",
  resource,
  subresource: "",
  namespace: "default",
  name: "",
  ...more
})

describe("Rbac", () => {
  it("uses all other bindings and rules when one is invalid", () => {
    const errors: Array<string> = []
    const testServer = makeSecuredTestServer({}, { handleError: (source) => void errors.push(source) })
    const { cache } = testServer.server.registry.kinds.ClusterRoleBinding
    grant(testServer, "a-odd-binding", [ruleFor("get", "nodes")], user("alice"), true)
    grant(testServer, "b-odd-rule", [ruleFor("get", "nodes")], user("alice"), true)
    grant(testServer, "c-reader", [ruleFor("get", "pods")], user("alice"), true)
    const spoil = (kind: "ClusterRole" | "ClusterRoleBinding", name: string, field: string) => {
      const object = testServer.server.registry.kinds[kind].cache.get("", name)?.object
      Object.defineProperty(object, field, {
        get: () => {
          throw new Error("by hand")
        }
      })
    }
    spoil("ClusterRoleBinding", "a-odd-binding", "subjects")
    const role = testServer.server.registry.kinds.ClusterRole.cache.get("", "b-odd-rule")?.object as KubeObject & {
      rules: ReadonlyArray<PolicyRule>
    }
    Object.defineProperty(role.rules[0], "verbs", { value: 7 })
    assert.isAbove(cache.size, 2)
    const { authorize } = testServer.security.authorizer
    assert.strictEqual(authorize(attributesFor(alice, "get", "pods")).decision, "Allow")
    assert.strictEqual(authorize(attributesFor(alice, "get", "nodes")).decision, "NoOpinion")
    assert.isAbove(errors.filter((source) => source === "rbac").length, 1)
  })

  it("allows by a role in its namespace only, and names the binding", () => {
    const testServer = makeSecuredTestServer()
    grant(testServer, "reader", [ruleFor("get list", "pods")], user("alice"))
    const { authorize } = testServer.security.authorizer
    assert.deepStrictEqual(authorize(attributesFor(alice, "get", "pods")), {
      decision: "Allow",
      reason: 'RBAC: allowed by RoleBinding "reader/default" of Role "reader" to User "alice"'
    })
    assert.strictEqual(
      authorize(attributesFor(alice, "get", "pods", { namespace: "kube-system" })).decision,
      "NoOpinion"
    )
    assert.strictEqual(authorize(attributesFor(alice, "delete", "pods")).decision, "NoOpinion")
    assert.strictEqual(authorize(attributesFor(person("bob"), "get", "pods")).decision, "NoOpinion")
  })

  it("matches groups and service accounts", () => {
    const testServer = makeSecuredTestServer()
    grant(testServer, "by-group", [ruleFor("get", "nodes")], { kind: "Group", name: "developers" }, true)
    grant(testServer, "by-account", [ruleFor("get", "pods")], {
      kind: "ServiceAccount",
      name: "robot",
      namespace: "ci"
    })
    const { authorize } = testServer.security.authorizer
    assert.strictEqual(authorize(attributesFor(alice, "get", "nodes", { namespace: "" })).decision, "Allow")
    assert.strictEqual(
      authorize(attributesFor(person("system:serviceaccount:ci:robot"), "get", "pods")).reason,
      'RBAC: allowed by RoleBinding "by-account/default" of Role "by-account" to ServiceAccount "robot/ci"'
    )
  })

  it("follows changes and deletions of roles and bindings at once", () => {
    const testServer = makeSecuredTestServer()
    const allowed = () =>
      testServer.security.authorizer.authorize(attributesFor(alice, "get", "pods")).decision === "Allow"
    grant(testServer, "reader", [ruleFor("list", "pods")], user("alice"))
    assert.isFalse(allowed())
    const place = { kind: "Role", name: "reader", namespace: "default" } as const
    testServer.ask({ ...place, verb: "patch", patchType: "merge", body: { rules: [ruleFor("get", "pods")] } })
    assert.isTrue(allowed())
    testServer.ask({ ...place, kind: "RoleBinding", verb: "delete" })
    assert.isFalse(allowed())
  })

  it("names the missing role of a binding", () => {
    const testServer = makeSecuredTestServer()
    grant(testServer, "reader", [ruleFor("get", "pods")], user("alice"))
    testServer.ask({ verb: "delete", kind: "Role", name: "reader", namespace: "default" })
    assert.deepStrictEqual(testServer.security.authorizer.authorize(attributesFor(alice, "get", "pods")), {
      decision: "NoOpinion",
      reason: 'RBAC: role.rbac.authorization.k8s.io "reader" not found'
    })
  })

  it("takes of an aggregated role the rules that it has, which a controller writes", () => {
    const testServer = makeSecuredTestServer()
    testServer.create("RoleBinding", {
      apiVersion,
      kind: "RoleBinding",
      metadata: { name: "alice", namespace: "default" },
      subjects: [user("alice")],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" }
    })
    const may = (verb: string, resource: string) =>
      testServer.security.authorizer.authorize(attributesFor(alice, verb, resource)).decision === "Allow"
    assert.isFalse(may("get", "pods"))
    const body = { rules: [ruleFor("get", "pods")] }
    testServer.ask({ verb: "patch", kind: "ClusterRole", name: "view", patchType: "merge", body })
    assert.isTrue(may("get", "pods"))
    assert.isFalse(may("get", "nodes"))
  })

  it("allows health and version to everyone, and discovery to authenticated users", () => {
    const { authorize } = makeSecuredTestServer().security.authorizer
    const get = (who: UserInfo, path: string) =>
      authorize(attributesFor(who, "get", "", { isResource: false, path, namespace: "" })).decision
    const anonymous = { user: "system:anonymous", groups: ["system:unauthenticated"] }
    for (const path of ["/healthz", "/livez", "/readyz", "/version"]) assert.strictEqual(get(anonymous, path), "Allow")
    for (const path of ["/api", "/apis/apps/v1", "/openapi/v3", "/metrics"]) {
      assert.strictEqual(get(anonymous, path), "NoOpinion")
    }
    assert.strictEqual(get(alice, "/apis/apps/v1"), "Allow")
    assert.strictEqual(get(alice, "/metrics"), "NoOpinion")
    assert.strictEqual(get(person("prometheus", "system:monitoring"), "/metrics"), "Allow")
  })

  it("allows the controllers' accounts their requests", () => {
    const { authorize } = makeSecuredTestServer().security.authorizer
    const controller = (name: string) => person(`system:serviceaccount:kube-system:${name}`, "system:serviceaccounts")
    const may = (name: string, verb: string, resource: string, group = "", subresource = "") =>
      authorize(attributesFor(controller(name), verb, resource, { group, subresource })).decision
    assert.strictEqual(may("node-controller", "delete", "pods"), "Allow")
    assert.strictEqual(may("node-controller", "patch", "nodes", "", "status"), "Allow")
    assert.strictEqual(may("pod-garbage-collector", "patch", "pods", "", "status"), "Allow")
    assert.strictEqual(may("pod-garbage-collector", "delete", "nodes"), "NoOpinion")
    assert.strictEqual(may("disruption-controller", "get", "deployments", "apps", "scale"), "Allow")
    assert.strictEqual(may("namespace-controller", "deletecollection", "secrets"), "Allow")
  })

  it("lists the rules of users, and marks those of kubelets as incomplete", () => {
    const testServer = makeSecuredTestServer()
    grant(testServer, "one", [ruleFor("get", "secrets", { resourceNames: ["one"] })], user("alice"))
    const { rulesFor } = testServer.security.authorizer
    const rules = rulesFor(alice, "default")
    assert.isFalse(rules.incomplete)
    assert.deepInclude(rules.resourceRules, {
      verbs: ["get"],
      apiGroups: [""],
      resources: ["secrets"],
      resourceNames: ["one"]
    })
    assert.isFalse(rulesFor(alice, "other").resourceRules.some(({ resources }) => resources.includes("secrets")))
    const own = rulesFor(kubelet("n1"), "default")
    assert.deepInclude(own, {
      incomplete: true,
      evaluationError: "node authorizer does not support user rule resolution"
    })
  })
})

describe("escalation", () => {
  const refusal = (answer: KubeObject | Status): string => (answer as Status).message ?? ""
  const rbac = ruleFor("create update patch", "roles rolebindings clusterroles", {
    apiGroups: ["rbac.authorization.k8s.io"]
  })
  const prepared = () => {
    const testServer = makeSecuredTestServer()
    grant(
      testServer,
      "reader",
      [ruleFor("get list watch", "pods"), ruleFor("get", "secrets", { resourceNames: ["one"] })],
      user("alice")
    )
    grant(testServer, "rbac", [rbac], user("alice"))
    return testServer
  }
  const role = (rules: ReadonlyArray<object>) => ({
    apiVersion,
    kind: "Role",
    metadata: { name: "grab", namespace: "default" },
    rules
  })
  const roleBinding = (kind: string, name: string) => ({
    apiVersion,
    kind: "RoleBinding",
    metadata: { name: "grab", namespace: "default" },
    subjects: [user("bob")],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name }
  })
  const createAs = (testServer: SecuredTestServer, kind: "Role" | "RoleBinding", object: unknown) =>
    testServer.as(alice, { verb: "create", kind, namespace: "default", object })
  const notHeld =
    'user "alice" (groups=["developers" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n'

  it("refuses a role with more than its author's permissions", () => {
    const rules = [
      ruleFor("delete get", "pods"),
      ruleFor("get", "secrets"),
      ruleFor("get", "secrets", { resourceNames: ["one"] })
    ]
    assert.strictEqual(
      refusal(createAs(prepared(), "Role", role(rules))),
      `roles.rbac.authorization.k8s.io "grab" is forbidden: ${notHeld}{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`
    )
  })
  it("allows granting one's own permissions", () => {
    assert.strictEqual(createAs(prepared(), "Role", role([ruleFor("get watch", "pods")])).kind, "Role")
    assert.strictEqual(createAs(prepared(), "RoleBinding", roleBinding("Role", "reader")).kind, "RoleBinding")
  })
  it("refuses to bind a role beyond one's own, unless bind is allowed", () => {
    const testServer = prepared()
    const binding = roleBinding("ClusterRole", "system:node-bootstrapper")
    assert.strictEqual(
      refusal(createAs(testServer, "RoleBinding", binding)),
      `rolebindings.rbac.authorization.k8s.io "grab" is forbidden: ${notHeld}{APIGroups:["certificates.k8s.io"], Resources:["certificatesigningrequests"], Verbs:["create" "get" "list" "watch"]}`
    )
    const bind = ruleFor("bind", "clusterroles", {
      apiGroups: ["rbac.authorization.k8s.io"],
      resourceNames: ["system:node-bootstrapper"]
    })
    grant(testServer, "binder", [bind], user("alice"))
    assert.strictEqual(createAs(testServer, "RoleBinding", binding).kind, "RoleBinding")
  })
  it("refuses to bind a missing role", () => {
    const answer = createAs(prepared(), "RoleBinding", roleBinding("Role", "none"))
    assert.strictEqual(refusal(answer), 'rolebindings.rbac.authorization.k8s.io "none" not found')
  })
  it("refuses to widen a role, and allows changes of its labels", () => {
    const testServer = prepared()
    const change = (body: object) =>
      testServer.as(alice, {
        verb: "patch",
        kind: "Role",
        name: "rbac",
        namespace: "default",
        patchType: "merge",
        body
      })
    assert.include(refusal(change({ rules: [ruleFor("*", "*")] })), notHeld)
    assert.strictEqual(change({ metadata: { labels: { a: "b" } } }).kind, "Role")
  })
})
