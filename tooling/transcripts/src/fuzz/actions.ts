import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Random } from "./Random.ts"
import { collectionOf, type Resource } from "./Resource.ts"
import { changed, type Step, writeOptions } from "./writes.ts"

const bindings: ReadonlyArray<Json> = [
  { target: { kind: "Node", name: "n" } },
  { target: { name: "" } },
  { target: { kind: "Pod", name: "n" } },
  { target: { kind: "Node", name: "n" }, metadata: { name: "other" } },
  { metadata: { annotations: { a: "b" }, uid: "x" }, target: { kind: "Node", name: "n" } },
  { target: null },
  {}
]

const evictions: ReadonlyArray<JsonObject> = [
  {},
  { dryRun: ["All"] },
  { preconditions: { uid: "x" } },
  { propagationPolicy: "Bad" },
  { dryRun: ["x"] },
  { gracePeriodSeconds: -1 }
]

const tokens: ReadonlyArray<Json> = [
  { audiences: ["a"], expirationSeconds: 600 },
  { audiences: ["a"], expirationSeconds: 599 },
  { audiences: ["a"], expirationSeconds: 4294967297 },
  { expirationSeconds: "600" },
  { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "nothing" } },
  { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "nothing", uid: "x" } },
  { boundObjectRef: { kind: "Node", apiVersion: "v1", name: "nothing" } },
  { boundObjectRef: { kind: "Deployment", apiVersion: "apps/v1", name: "d" } },
  { boundObjectRef: { apiVersion: "v1" } },
  { audiences: [1] },
  { unknown: 1 },
  null
]

const streams = [
  "log",
  "log?container=c",
  "log?container=nothing",
  "log?tailLines=-1",
  "log?tailLines=x",
  "log?sinceSeconds=0",
  "log?sinceSeconds=1&sinceTime=2021-03-04T05:06:07Z",
  "log?sinceTime=x",
  "log?limitBytes=0",
  "log?previous=x",
  "log?stream=Stdout",
  "log?stream=Stdout&tailLines=1",
  "log?stream=x",
  "log?container=c&follow=true&limitBytes=5",
  "exec?command=a",
  "exec?container=nothing&command=a&stdout=1",
  "exec",
  "attach?stdin=1",
  "attach?container=nothing&stdout=1",
  "portforward",
  "portforward?ports=80",
  "proxy",
  "proxy/a"
]

const named = (object: JsonObject): JsonObject => {
  const { name = "" } = isObject(object.metadata) ? object.metadata : {}
  return { metadata: { name } }
}

const ofPod = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const choice = random.next()
  if (choice < 0.3) {
    const binding = { apiVersion: "v1", kind: "Binding", ...named(object), ...(random.pick(bindings) as JsonObject) }
    const at = random.chance(0.3) ? collectionOf(resource).replace(/pods$/, "bindings") : `${path}/binding`
    return {
      label: "POST/binding",
      question: { method: "POST", path: at + writeOptions(random, resource), body: binding }
    }
  }
  if (choice < 0.55) {
    const deleteOptions = random.pick(evictions)
    const apiVersion = random.pick(["policy/v1", "policy/v1", "policy/v1beta1", "v1"])
    const body = { apiVersion, kind: "Eviction", ...named(object), deleteOptions }
    return { label: "POST/eviction", question: { method: "POST", path: `${path}/eviction?dryRun=All`, body } }
  }
  const method = random.pick(["GET", "GET", "POST"])
  return { label: `${method} stream`, question: { method, path: `${path}/${random.pick(streams)}` } }
}

const ofServiceAccount = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const spec = random.pick(tokens)
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", ...named(object), spec }
  const question = { method: "POST", path: `${path}/token${writeOptions(random, resource)}`, body }
  return { label: "POST/token", question }
}

const conditions: ReadonlyArray<Json> = [
  [{ type: "Approved", status: "True", reason: "R", message: "m" }],
  [{ type: "Denied", status: "True" }],
  [{ type: "Approved", status: "False" }],
  [
    { type: "Approved", status: "True" },
    { type: "Denied", status: "True" }
  ],
  [{ type: "Failed", status: "True" }],
  [{ type: "", status: "" }],
  [
    { type: "Other", status: "Unknown" },
    { type: "Other", status: "True" }
  ],
  null
]

const ofRequest = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const body = { ...changed(random, resource, object, 1), status: { conditions: random.pick(conditions) } }
  const at = `${path}/${random.pick(["approval", "approval", "status"])}${writeOptions(random, resource)}`
  return { label: "PUT/approval", question: { method: "PUT", path: at, body } }
}

const proxied = (random: Random, path: string): Step => {
  const method = random.pick(["GET", "POST"])
  return { label: `${method}/proxy`, question: { method, path: `${path}/proxy${random.pick(["", "/a", "?path=a"])}` } }
}

/** Returns a request for a subresource that only this kind has; undefined for kinds without one. */
export const actionOf = (random: Random, resource: Resource, path: string, object: JsonObject): Step | undefined => {
  switch (resource.kind) {
    case "Pod":
      return ofPod(random, resource, path, object)
    case "ServiceAccount":
      return ofServiceAccount(random, resource, path, object)
    case "CertificateSigningRequest":
      return ofRequest(random, resource, path, object)
    case "Node":
    case "Service":
      return proxied(random, path)
    default:
      return undefined
  }
}
