import { assert, describe, it } from "@effect/vitest"
import type { PolicyRule } from "@rollcall/api"
import * as fc from "fast-check"
import { namespaceRoles } from "../src/bootstrap/namespaceRoles.ts"
import { describeRules, type RbacRequest, type RbacUser, ruleAllows, uncovered } from "../src/index.ts"

const alice: RbacUser = { user: "alice", groups: ["developers"] }

const ruleFor = (verbs: string, resources: string, more: object = {}) => ({
  verbs: verbs.split(" "),
  apiGroups: [""],
  resources: resources.split(" "),
  ...more
})

const attributesFor = (
  who: RbacUser,
  verb: string,
  resource: string,
  more: Partial<RbacRequest> = {}
): RbacRequest => ({
  user: who,
  verb,
  isResource: true,
  path: "",
  group: "",
  resource,
  subresource: "",
  namespace: "default",
  name: "",
  ...more
})

describe("ruleAllows", () => {
  const cases: ReadonlyArray<readonly [PolicyRule, Partial<RbacRequest>, boolean]> = [
    [ruleFor("*", "*"), {}, true],
    [ruleFor("get", "pods"), { subresource: "log" }, false],
    [ruleFor("get", "pods/log"), { subresource: "log" }, true],
    [ruleFor("get", "*/log"), { subresource: "log" }, true],
    [ruleFor("get", "*/log"), {}, false],
    [ruleFor("get", "*"), { subresource: "log" }, true],
    [ruleFor("get", "pods"), { group: "apps" }, false],
    [ruleFor("get", "pods", { apiGroups: ["*"] }), { group: "apps" }, true],
    [ruleFor("get", "pods", { resourceNames: ["a"] }), { name: "a" }, true],
    // A list, a create: no name.
    [ruleFor("get", "pods", { resourceNames: ["a"] }), {}, false],
    [{ verbs: ["get"], nonResourceURLs: ["/healthz/*"] }, { isResource: false, path: "/healthz/etcd" }, true],
    [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }, { isResource: false, path: "/healthz/etcd" }, false],
    [{ verbs: ["get"], nonResourceURLs: ["*"] }, {}, false]
  ]
  for (const [rule, request, expected] of cases) {
    it(`${JSON.stringify(rule)} of ${JSON.stringify(request)}: ${expected}`, () => {
      assert.strictEqual(ruleAllows(rule, attributesFor(alice, "get", "pods", request)), expected)
    })
  }
})

describe("rules that others cover", () => {
  const words = fc.uniqueArray(fc.constantFrom("a", "b", "c", "*"), { minLength: 1, maxLength: 3 })
  const rules = fc.array(fc.record({ verbs: words, apiGroups: words, resources: words }), { maxLength: 4 })
  it("never allows a request that was not allowed before", () => {
    const request = fc.record({
      verb: fc.constantFrom("a", "b", "c", "d"),
      group: fc.constantFrom("a", "b", "c", "d"),
      resource: fc.constantFrom("a", "b", "c", "d")
    })
    fc.assert(
      fc.property(rules, rules, request, (held, given, { group, resource, verb }) => {
        fc.pre(uncovered(held, given).length === 0)
        const wanted = attributesFor(alice, verb, resource, { group })
        const allows = (all: ReadonlyArray<PolicyRule>) => all.some((rule) => ruleAllows(rule, wanted))
        assert.isTrue(!allows(given) || allows(held))
      })
    )
  })
  it("is decided for a rule of a billion combinations without enumerating them", { timeout: 20_000 }, () => {
    const names = (prefix: string) => Array.from({ length: 1000 }, (_, index) => `${prefix}${index}`)
    const [verbs, apiGroups, resources] = [names("v"), names("g"), names("r")]
    const rule = { verbs, apiGroups, resources }
    assert.deepStrictEqual(uncovered([ruleFor("get", "pods")], [rule]), [{ apiGroups, resources, verbs }])
    assert.deepStrictEqual(uncovered([rule], [rule]), [])
    // By several rules together, none of which has it all.
    const half = (all: ReadonlyArray<string>, at: number) => all.slice(at * 500, at * 500 + 500)
    const quarters = [0, 1].flatMap((group) =>
      [0, 1].map((verb) => ({ apiGroups: half(apiGroups, group), resources: ["*"], verbs: half(verbs, verb) }))
    )
    assert.deepStrictEqual(uncovered(quarters, [rule]), [])
    const [, ...three] = quarters
    assert.deepStrictEqual(uncovered(three, [rule]), [
      { apiGroups: half(apiGroups, 0), resources, verbs: half(verbs, 0) }
    ])
  })

  it("treats a rule that splits into too many parts as not held", { timeout: 20_000 }, () => {
    const names = (prefix: string) => Array.from({ length: 60 }, (_, index) => `${prefix}${index}`)
    const all = [names("g"), names("r"), names("v")] as const
    const held = Array.from({ length: 3000 }, (_, index) => {
      const [apiGroups, resources, verbs] = all.map((each, at) =>
        each.filter((__, place) => (index * 7919 + place * (at + 3)) % 13 > 2)
      )
      return { apiGroups: apiGroups ?? [], resources: resources ?? [], verbs: verbs ?? [] }
    })
    const [apiGroups, resources, verbs] = all
    const left = uncovered(held, [
      { apiGroups, resources, verbs },
      { nonResourceURLs: ["/x"], verbs: ["get"] }
    ])
    assert.isAbove(left.length, 0)
  })

  it("equals the decision over each combination", () => {
    const one = <A>(...of: ReadonlyArray<A>) => fc.uniqueArray(fc.constantFrom(...of), { minLength: 1, maxLength: 3 })
    const rule = fc.oneof(
      fc.record({
        apiGroups: one("", "apps", "*"),
        resources: one("pods", "pods/log", "*/log", "*"),
        verbs: one("get", "list", "*"),
        resourceNames: fc.oneof(fc.constant([]), one("a", "b"))
      }),
      fc.record({ nonResourceURLs: one("/a", "/a/b", "/a/*", "*"), verbs: one("get", "list", "*") })
    )
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), rule, (held, given) => {
        const parts = uncovered([], [given])
        const missing = parts.filter((part) => held.every((own) => uncovered([own], [part]).length > 0))
        const text = (all: ReadonlyArray<PolicyRule>) =>
          all.map((each) => JSON.stringify(each, Object.keys(each).sort())).sort()
        assert.deepStrictEqual(text(uncovered(held, [given])), text(missing))
      })
    )
  })

  it("names the missing permissions, resource by resource", () => {
    const missing = uncovered([ruleFor("get", "pods")], [ruleFor("get delete", "pods nodes")])
    assert.strictEqual(
      describeRules(missing),
      '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "delete"]}\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}'
    )
  })
})

describe("the roles of leader election", () => {
  it("allow Leases and candidates for them, no ConfigMaps", () => {
    const role = namespaceRoles.find(({ metadata }) => metadata.name === "system::leader-locking-kube-scheduler")
    assert.deepStrictEqual(
      role?.rules?.map(({ resources }) => resources),
      [["leases"], ["leasecandidates"]]
    )
  })
})
