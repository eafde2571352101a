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

const userInGroups = (user: string, ...groups: ReadonlyArray<string>): UserInfo => ({ user, groups })

const sampleUsers: ReadonlyArray<UserInfo> = [
  userInGroups("system:anonymous", "system:unauthenticated"),
  userInGroups("system:node:node-1", "system:nodes", "system:authenticated"),
  userInGroups("system:serviceaccount:default:default", "system:serviceaccounts", "system:authenticated"),
  userInGroups("admin", "system:masters", "system:authenticated"),
  userInGroups("alice", "system:authenticated"),
  { user: "", groups: [], extra: { scopes: ["read"] } }
]

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]

/** The object or collection that a request is about. Omitted parts are empty. */
type Place = Partial<Pick<RequestAttributes, "group" | "resource" | "subresource" | "namespace" | "name">>

const podsOfNamespace: Place = { resource: "pods", namespace: "default" }
const places: ReadonlyArray<Place> = [
  podsOfNamespace,
  { resource: "pods", subresource: "status", namespace: "default", name: "a" },
  { resource: "nodes", name: "node-1" },
  { resource: "secrets", namespace: "kube-system", name: "a" },
  { group: "coordination.k8s.io", resource: "leases", namespace: "kube-node-lease", name: "node-1" },
  { group: "example.com", resource: "widgets", subresource: "scale", namespace: "default", name: "a" }
]

const resourceRequest = (
  user: UserInfo,
  verb: string,
  { group = "", name = "", namespace = "", resource = "", subresource = "" }: Place
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

const pathRequest = (user: UserInfo, verb: string, path: string): RequestAttributes => ({
  ...resourceRequest(user, verb, {}),
  isResource: false,
  version: "",
  path
})

/** Returns requests of each form: every verb on resources, subresources and paths, with and without a selector. */
const requestsOf = (user: UserInfo): ReadonlyArray<RequestAttributes> => [
  ...verbs.flatMap((verb) => places.map((place) => resourceRequest(user, verb, place))),
  { ...resourceRequest(user, "list", podsOfNamespace), fieldSelector: "spec.nodeName=node-1", labelSelector: "app=a" },
  ...["get", "post", "put", "delete", "head"].flatMap((verb) =>
    ["/", "/healthz", "/metrics", "/apis/example.com"].map((path) => pathRequest(user, verb, path))
  )
]

const decisions = ["Allow", "Deny", "NoOpinion"]

/** Returns the first text of a list of a rule; `any` if it is the wildcard, or if the list is empty. */
const firstConcrete = (texts: ReadonlyArray<string>, any: string): string => {
  const [first = any] = texts
  return first === "*" ? any : first
}

/** Returns a request that the rule matches. */
const requestOf = (user: UserInfo, namespace: string, rule: ResourceRule): RequestAttributes => {
  const [resource = "", subresource = ""] = firstConcrete(rule.resources, "pods").replace("*/", "pods/").split("/")
  const group = firstConcrete(rule.apiGroups, "")
  return resourceRequest(user, firstConcrete(rule.verbs, "get"), {
    group,
    resource,
    subresource: subresource.replace("*", "status"),
    namespace,
    name: rule.resourceNames?.[0] ?? "a"
  })
}

const pathOf = (user: UserInfo, rule: NonResourceRule): RequestAttributes =>
  pathRequest(
    user,
    firstConcrete(rule.verbs, "get"),
    firstConcrete(rule.nonResourceURLs, "/healthz").replace("*", "all")
  )

/**
 * Registers the tests that every layer of the Authorizers port must pass, in a vitest file. Each authorizer is asked
 * about users of all kinds, and about the given ones.
 */
export const authorizerContract = <E>(
  name: string,
  layer: Layer.Layer<Authorizers, E, Timers>,
  ownUsers: ReadonlyArray<UserInfo> = []
): void => {
  const users = [...ownUsers, ...sampleUsers]
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
