import type { Question } from "../Requests.ts"
import type { Random } from "./Random.ts"
import { collectionOf, objectNamed, type Resource } from "./Resource.ts"
import { ownObjects } from "./reads.ts"
import { type Step, writeOptions } from "./writes.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "get"]

const impersonations: ReadonlyArray<Readonly<Record<string, string>>> = [
  { "Impersonate-User": "alice" },
  { "Impersonate-User": "alice", "Impersonate-Group": "developers" },
  { "Impersonate-Group": "developers" },
  { "Impersonate-User": "system:serviceaccount:fuzz:default" },
  { "Impersonate-User": "system:anonymous" },
  { "Impersonate-User": "alice", "Impersonate-Uid": "u" },
  { "Impersonate-User": "alice", "Impersonate-Extra-Scopes": "a" }
]

const contents = [
  "application/json",
  "application/strategic-merge-patch+json",
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/apply-patch+yaml",
  "application/apply-patch+cbor",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/cbor",
  "a/b;c",
  "bad",
  ""
]

const watches = [
  "timeoutSeconds=1&watch=1&resourceVersion=1",
  "timeoutSeconds=1&watch=true&resourceVersion=abc",
  "timeoutSeconds=1&watch=1&resourceVersionMatch=Exact",
  "timeoutSeconds=1&watch=1&sendInitialEvents=true",
  "timeoutSeconds=1&watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
  "timeoutSeconds=1&watch=1&limit=5&fieldSelector=spec.x%3D1",
  "timeoutSeconds=1&watch=1&continue=x&labelSelector=%21%21"
]

const variantsOf = ({ apiVersion, plural }: Resource, collection: string): ReadonlyArray<string> => [
  `${collection}/o/unknown`,
  `${collection}/o/status/more`,
  `${collection}/o/`,
  `${collection}/`,
  `${collection}x`,
  collection.replace("/namespaces/fuzz", "/namespaces/none"),
  collection.replace("/namespaces/fuzz", ""),
  collection.replace(apiVersion, "x/v1"),
  collection.replace(apiVersion, apiVersion.replace(/v\d$/, "v9")),
  `/apis/${apiVersion}`,
  `/apis/${apiVersion}/watch/${plural}?timeoutSeconds=1&resourceVersion=abc`,
  `/apis/${apiVersion.split("/")[0]}`,
  "/api/v1/componentstatuses/nothing",
  "/api/v1/namespaces/fuzz/finalize",
  `${collection}?dryRun=All`,
  `${collection}//o`
]

/** Returns a request that few clients send: of another method, path, media type or user. */
export const oddRequest = (random: Random, resource: Resource, path: string): Step => {
  const collection = collectionOf(resource)
  const choice = ownObjects[resource.kind] === undefined ? random.below(5) : random.pick([0, 2, 3])
  const body = JSON.stringify(objectNamed(resource, path.split("/").at(-1) ?? ""))
  const json = { "Content-Type": "application/json" }
  const hasOwnObjects = ownObjects[resource.kind] !== undefined
  const made = (label: string, question: Question): Step => ({ label: `odd ${label}`, question })
  if (choice === 0) {
    const method = random.pick(methods)
    const isBodied = method === "POST" || method === "PUT" || method === "PATCH"
    const at = hasOwnObjects ? path : random.pick([path, collection])
    return made(`${method} ${at === path ? "object" : "collection"}`, {
      method,
      path: at + (isBodied ? writeOptions(random, resource) : ""),
      ...(isBodied ? { body, headers: json } : {})
    })
  }
  if (choice === 1)
    return made("path", { method: random.pick(methods), path: random.pick(variantsOf(resource, collection)) })
  if (choice === 2) {
    const method = random.pick(["POST", "PUT", "PATCH", "DELETE"])
    const headers = {
      "Content-Type": random.pick(contents),
      Accept: random.pick(["*/*", "text/plain", "application/yaml"])
    }
    const at = method === "POST" ? collection : path
    return made(`content ${method}`, { method, path: at + writeOptions(random, resource), body, headers })
  }
  if (choice === 3) {
    const method = random.pick(["GET", "PUT", "DELETE", "PATCH"])
    return made(`impersonation ${method}`, { method, path, headers: random.pick(impersonations) })
  }
  return made("watch", { method: "GET", path: `${collection}?${random.pick(watches)}` })
}
