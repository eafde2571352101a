import { assert, describe, it } from "@effect/vitest"
import { frozen } from "@rollcall/cluster/testing"
import { layerWallClock, type Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { UserInfo } from "../core/admission/Admission.ts"
import {
  type Authorizer,
  Authorizers,
  type NonResourceRule,
  type RequestAttributes,
  type ResourceRule
} from "../core/ports/Security.ts"

const person = (user: string, ...groups: ReadonlyArray<string>): UserInfo => ({ user, groups })

const someUsers: ReadonlyArray<UserInfo> = [
  person("system:anonymous", "system:unauthenticated"),
  person("system:node:node-1", "system:nodes", "system:authenticated"),
  person("system:serviceaccount:default:default", "system:serviceaccounts", "system:authenticated"),
  person("admin", "system:masters", "system:authenticated"),
  person("alice", "system:authenticated"),
  { user: "", groups: [], extra: { scopes: ["read"] } }
]

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]
const places = [
  ["", "pods", "", "default", ""],
  ["", "pods", "status", "default", "a"],
  ["", "nodes", "", "", "node-1"],
  ["", "secrets", "", "kube-system", "a"],
  ["coordination.k8s.io", "leases", "", "kube-node-lease", "node-1"],
  ["example.com", "widgets", "scale", "default", "a"]
] as const

const onResource = (
  user: UserInfo,
  verb: string,
  [group, resource, subresource, namespace, name]: readonly [string, string, string, string, string]
): RequestAttributes => ({
  user,
  verb,
  isResource: true,
  path: "",
  group,
  version: "v1",
  resource,
  subresource,
  namespace,
  name
})

const onPath = (user: UserInfo, verb: string, path: string): RequestAttributes => ({
  ...onResource(user, verb, ["", "", "", "", ""]),
  isResource: false,
  version: "",
  path
})

/** One request of each form: every verb on resources, subresources and paths, with and without a selector. */
const requestsOf = (user: UserInfo): ReadonlyArray<RequestAttributes> => [
  ...verbs.flatMap((verb) => places.map((place) => onResource(user, verb, place))),
  { ...onResource(user, "list", places[0]), fieldSelector: "spec.nodeName=node-1", labelSelector: "app=a" },
  ...["get", "post", "put", "delete", "head"].flatMap((verb) =>
    ["/", "/healthz", "/metrics", "/apis/example.com"].map((path) => onPath(user, verb, path))
  )
]

const decisions = ["Allow", "Deny", "NoOpinion"]

const concrete = (texts: ReadonlyArray<string>, any: string): string => {
  const [first = any] = texts
  return first === "*" ? any : first
}

/** A request that the rule matches. */
const requestOf = (user: UserInfo, namespace: string, rule: ResourceRule): RequestAttributes => {
  const [resource = "", subresource = ""] = concrete(rule.resources, "pods").replace("*/", "pods/").split("/")
  const group = concrete(rule.apiGroups, "")
  return onResource(user, concrete(rule.verbs, "get"), [
    group,
    resource,
    subresource.replace("*", "status"),
    namespace,
    rule.resourceNames?.[0] ?? "a"
  ])
}

const pathOf = (user: UserInfo, rule: NonResourceRule): RequestAttributes =>
  onPath(user, concrete(rule.verbs, "get"), concrete(rule.nonResourceURLs, "/healthz").replace("*", "all"))

/**
 * Registers the tests that every layer of the Authorizers port must pass, in a vitest file. Each authorizer is asked
 * about users of all kinds, and about the given ones.
 */
export const authorizerContract = <E>(
  name: string,
  layer: Layer.Layer<Authorizers, E, Timers>,
  ownUsers: ReadonlyArray<UserInfo> = []
): void => {
  const users = [...ownUsers, ...someUsers]
  const withAuthorizers = (title: string, body: (authorizer: Authorizer, user: UserInfo) => void) =>
    it.live(title, () =>
      Effect.map(Authorizers, (authorizers) => {
        assert.isNotEmpty(authorizers)
        for (const authorizer of authorizers) for (const user of users) body(authorizer, frozen(user))
      }).pipe(Effect.provide(Layer.provide(Layer.fresh(layer), layerWallClock())))
    )

  describe(`${name}: authorizers`, () => {
    withAuthorizers("decide on each kind of request synchronously, and the same each time", (authorizer, user) => {
      for (const request of requestsOf(user)) {
        const decision = authorizer.authorize(frozen(request))
        assert.include(decisions, decision.decision)
        assert.isString(decision.reason)
        assert.deepStrictEqual(authorizer.authorize(request), decision)
      }
    })

    withAuthorizers("list the rules of each user in each namespace", (authorizer, user) => {
      for (const namespace of ["default", "kube-system", "of-nobody"]) {
        const rules = authorizer.rulesFor(user, namespace)
        assert.isBoolean(rules.incomplete)
        for (const { apiGroups, resources, verbs: can } of rules.resourceRules)
          for (const part of [apiGroups, resources, can]) assert.isNotEmpty(part)
        for (const { nonResourceURLs, verbs: can } of rules.nonResourceRules)
          for (const part of [nonResourceURLs, can]) assert.isNotEmpty(part)
        assert.deepStrictEqual(authorizer.rulesFor(user, namespace), rules)
      }
    })

    withAuthorizers("decide on the rules that they list", (authorizer, user) => {
      for (const namespace of ["default", "kube-system", "of-nobody"]) {
        const { nonResourceRules, resourceRules } = authorizer.rulesFor(user, namespace)
        const listed = [
          ...resourceRules.map((rule) => requestOf(user, namespace, rule)),
          ...nonResourceRules.map((rule) => pathOf(user, rule))
        ]
        for (const request of listed)
          assert.notStrictEqual(authorizer.authorize(request).decision, "NoOpinion", JSON.stringify(request))
      }
    })
  })
}
