import type { JsonObject } from "../Case.ts"
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
  { kind: "Pod", apiVersion: "v1" }
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
  "?orphanDependents=true"
]

/** Returns the request that removes the object. */
export const deletion = (random: Random, path: string): Step => {
  const body = random.pick(bodies)
  const question = { method: "DELETE", path: path + random.pick(queries), ...(body === undefined ? {} : { body }) }
  return { label: "DELETE", question }
}

/** Returns a request that would remove objects of the collection; the namespace holds one object at a time. */
export const collectionDeletion = (random: Random, resource: Resource, name: string): Step => {
  const selector = random.pick([
    `fieldSelector=metadata.name%3D${name}`,
    "labelSelector=app%3Dnothing",
    "fieldSelector=spec.x%3D1",
    "labelSelector=%21%21",
    `fieldSelector=metadata.name%3D${name}&propagationPolicy=Orphan`,
    `fieldSelector=metadata.name%3D${name}&dryRun=All`
  ])
  return { label: "DELETECOLLECTION", question: { method: "DELETE", path: `${collectionOf(resource)}?${selector}` } }
}
