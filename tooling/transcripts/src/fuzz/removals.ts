import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Random } from "./Random.ts"
import { collectionOf, type Resource } from "./Resource.ts"
import type { Step } from "./writes.ts"

const bodies: ReadonlyArray<JsonObject | undefined> = [
  undefined,
  { gracePeriodSeconds: 0 },
  { gracePeriodSeconds: -1 },
  { gracePeriodSeconds: 5 },
  { propagationPolicy: "Bad" },
  { propagationPolicy: "Orphan" },
  { propagationPolicy: "Foreground" },
  { orphanDependents: true },
  { orphanDependents: true, propagationPolicy: "Background" },
  { propagationPolicy: "Background", dryRun: ["All"] },
  { dryRun: ["some"] },
  { preconditions: { uid: "x" } },
  { preconditions: { resourceVersion: "1" } },
  { kind: "DeleteOptions", apiVersion: "v1", unknown: 1 },
  { kind: "Pod", apiVersion: "v1" },
  { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", gracePeriodSeconds: 1 },
  { kind: "DeleteOptions", apiVersion: "apps/v1", propagationPolicy: "Foreground" },
  { gracePeriodSeconds: "1" },
  { preconditions: { uid: 1 } },
  { ignoreStoreReadErrorWithClusterBreakingPotential: true },
  { propagationPolicy: null, dryRun: null, gracePeriodSeconds: null }
]

const queries = [
  "",
  "",
  "",
  "?gracePeriodSeconds=0",
  "?gracePeriodSeconds=abc",
  "?propagationPolicy=Orphan",
  "?propagationPolicy=Bad",
  "?dryRun=All",
  "?orphanDependents=true",
  "?orphanDependents=x",
  "?dryRun=x",
  "?propagationPolicy=Orphan&orphanDependents=true",
  "?gracePeriodSeconds=-1",
  "?gracePeriodSeconds=1.5",
  "?unknown=1",
  "?ignoreStoreReadErrorWithClusterBreakingPotential=true"
]

/** Returns the request that removes the object. */
export const deletion = (random: Random, path: string): Step => {
  const body = random.pick(bodies)
  const question = { method: "DELETE", path: path + random.pick(queries), ...(body === undefined ? {} : { body }) }
  return { label: "DELETE", question }
}

const finalizers: ReadonlyArray<Json> = [
  ["a.io/one"],
  ["a.io/one"],
  ["a.io/one", "a.io/two"],
  ["a.io/two"],
  ["foregroundDeletion"],
  ["orphan"],
  ["bad"],
  [],
  null
]

/** Returns a step towards the end of an object, which may go on for some requests: its finalizers, or a deletion of it. */
export const ending = (random: Random, path: string, object: JsonObject): Step => {
  const choice = random.next()
  if (choice < 0.45) {
    const body = JSON.stringify({ metadata: { finalizers: random.pick(finalizers) } })
    const headers = { "Content-Type": "application/merge-patch+json" }
    return { label: "PATCH finalizers", question: { method: "PATCH", path, body, headers } }
  }
  if (choice < 0.8) return deletion(random, path)
  const { uid = "x" } = isObject(object.metadata) ? object.metadata : {}
  const propagationPolicy = random.pick(["Background", "Foreground", "Orphan"])
  const body = { preconditions: { uid }, propagationPolicy, gracePeriodSeconds: random.pick([0, 1, 30]) }
  return { label: "DELETE by uid", question: { method: "DELETE", path, body } }
}

/** Returns a request that would remove objects of the collection; the namespace holds one object at a time. */
export const collectionDeletion = (random: Random, resource: Resource, name: string): Step => {
  const selector = random.pick([
    `fieldSelector=metadata.name%3D${name}`,
    "labelSelector=app%3Dnothing",
    "fieldSelector=spec.x%3D1",
    "labelSelector=%21%21",
    `fieldSelector=metadata.name%3D${name}&propagationPolicy=Orphan`,
    `fieldSelector=metadata.name%3D${name}&dryRun=All`,
    `fieldSelector=metadata.name%3D${name}&limit=1`,
    "fieldSelector=metadata.name%3Dx&limit=-1",
    "fieldSelector=metadata.name%3Dx&continue=abc",
    "fieldSelector=metadata.name%3Dx&dryRun=bad",
    "fieldSelector=metadata.name%3Dx&resourceVersion=abc",
    "fieldSelector=metadata.name%3Dx&resourceVersionMatch=Exact"
  ])
  return { label: "DELETECOLLECTION", question: { method: "DELETE", path: `${collectionOf(resource)}?${selector}` } }
}
