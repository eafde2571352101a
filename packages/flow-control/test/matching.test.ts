import { assert, describe, it } from "@effect/vitest"
import {
  type FlowSchema,
  mandatoryFlowSchemas,
  type PolicyRulesWithSubjects,
  suggestedFlowSchemas
} from "@rollcall/api"
import { byPrecedence, flowDistinguisher, matchesFlowSchema } from "../src/matchFlowSchema.ts"
import { infoOf } from "./infoOf.ts"

const schemas = [...mandatoryFlowSchemas, ...suggestedFlowSchemas].toSorted(byPrecedence)

const matchOf = (user: string, groups: ReadonlyArray<string>, method: string, path: string): string | undefined => {
  const info = infoOf(method, path)
  return schemas.find((schema) => matchesFlowSchema(info, { user, groups }, schema))?.metadata.name
}

const known = ["system:authenticated"]
const lease = (namespace: string, name: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`
const pods = "/api/v1/namespaces/default/pods"
const account = "system:serviceaccount:kube-system:a"

describe("the default schemas", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string, string, string]> = [
    ["admin", ["system:masters", ...known], "GET", pods, "exempt"],
    ["admin", ["system:masters", ...known], "GET", "/metrics", "exempt"],
    ["system:anonymous", ["system:unauthenticated"], "GET", "/healthz", "probes"],
    ["system:anonymous", ["system:unauthenticated"], "GET", "/readyz/etcd", "probes"],
    ["system:anonymous", ["system:unauthenticated"], "GET", "/healthzz", "global-default"],
    ["system:kube-scheduler", known, "PUT", lease("kube-system", "kube-scheduler"), "system-leader-election"],
    [account, ["system:serviceaccounts", ...known], "PUT", lease("any", "x"), "system-leader-election"],
    ["system:kube-scheduler", known, "PATCH", lease("kube-system", "kube-scheduler"), "kube-scheduler"],
    ["system:node:n", ["system:nodes", ...known], "PUT", lease("kube-node-lease", "n"), "system-node-high"],
    ["system:node:n", ["system:nodes", ...known], "PATCH", "/api/v1/nodes/n/status", "system-node-high"],
    ["system:node:n", ["system:nodes", ...known], "GET", pods, "system-nodes"],
    ["system:kube-controller-manager", known, "GET", pods, "kube-controller-manager"],
    [account, ["system:serviceaccounts", ...known], "GET", pods, "kube-system-service-accounts"],
    ["system:serviceaccount:kube-systemx:a", ["system:serviceaccounts", ...known], "GET", pods, "service-accounts"],
    ["alice", known, "GET", pods, "global-default"],
    ["alice", known, "PUT", lease("kube-node-lease", "n"), "global-default"]
  ]
  for (const [user, groups, method, path, expected] of cases) {
    it(`map ${user} with ${method} ${path} to ${expected}`, () => {
      assert.strictEqual(matchOf(user, groups, method, path), expected)
    })
  }
})

describe("a rule", () => {
  const schema = (rules: Partial<PolicyRulesWithSubjects>, more: object = {}): FlowSchema => ({
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: { name: "a" },
    spec: {
      priorityLevelConfiguration: { name: "catch-all" },
      rules: [{ subjects: [{ kind: "User", user: { name: "*" } }], ...rules }],
      ...more
    }
  })
  const resource = (more: object) =>
    schema({ resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["a"], ...more }] })
  const user = { user: "alice", groups: known }
  const get = (path: string) => infoOf("GET", path)
  const matches = (path: string, tested: FlowSchema) => matchesFlowSchema(get(path), user, tested)

  it("matches its namespaces, and cluster-scoped resources if it says so", () => {
    assert.isTrue(matches("/api/v1/namespaces/a/pods/p", resource({})))
    assert.isFalse(matches("/api/v1/namespaces/b/pods/p", resource({})))
    assert.isFalse(matches("/api/v1/nodes/n", resource({ resources: ["nodes"] })))
    assert.isTrue(matches("/api/v1/nodes/n", resource({ resources: ["nodes"], clusterScope: true })))
  })

  it("names subresources with their resource", () => {
    const status = "/api/v1/namespaces/a/pods/p/status"
    assert.isFalse(matches(status, resource({})))
    assert.isTrue(matches(status, resource({ resources: ["pods/status"] })))
    assert.isTrue(matches(status, resource({ resources: ["*"] })))
  })

  it("for paths does not match resources", () => {
    const paths = schema({ nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/logs/*"] }] })
    assert.isTrue(matches("/logs/a/b", paths))
    assert.isFalse(matches("/logs", paths))
    assert.isFalse(matches("/api/v1/namespaces/a/pods/p", paths))
  })

  it("distinguishes flows by user or namespace", () => {
    const info = get("/api/v1/namespaces/a/pods/p")
    const by = (type: "ByUser" | "ByNamespace") => schema({}, { distinguisherMethod: { type } })
    assert.strictEqual(flowDistinguisher(info, user, by("ByUser")), "alice")
    assert.strictEqual(flowDistinguisher(info, user, by("ByNamespace")), "a")
    assert.strictEqual(flowDistinguisher(info, user, schema({})), "")
  })
})
