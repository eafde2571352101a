import { isObject, type Json, type JsonObject } from "../Case.ts"
import { patch } from "./patches.ts"
import type { Random } from "./Random.ts"
import type { Resource } from "./Resource.ts"
import { replacement, type Step, writeOptions } from "./writes.ts"

const scales: ReadonlyArray<JsonObject> = [
  { spec: { replicas: 3 } },
  { spec: { replicas: -1 } },
  { spec: { replicas: "x" } },
  { spec: { replicas: 2147483648 } },
  { spec: { replicas: 1.5 } },
  { spec: { replicas: null } },
  { spec: { replicas: 3, unknown: 1 } },
  { spec: {} },
  { kind: "Other" },
  { apiVersion: "autoscaling/v9" },
  { apiVersion: "apps/v1beta1", spec: { replicas: 1 } },
  { metadata: { name: "other" } },
  {}
]

const at = (step: Step, subresource: string): Step => {
  const [path = "", query] = step.question.path.split("?")
  const whole = `${path}/${subresource}${query === undefined ? "" : `?${query}`}`
  return { label: `${step.label}/${subresource}`, question: { ...step.question, path: whole } }
}

const scale = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const metadata = isObject(object.metadata) ? object.metadata : {}
  const { name, namespace } = metadata
  const body: JsonObject = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: name ?? "", namespace: namespace ?? "" },
    ...random.pick(scales)
  }
  const query = writeOptions(random, resource)
  if (random.chance(0.3)) return { label: "GET/scale", question: { method: "GET", path: `${path}/scale` } }
  if (random.chance(0.6))
    return { label: "PUT/scale", question: { method: "PUT", path: `${path}/scale${query}`, body } }
  const headers = { "Content-Type": "application/merge-patch+json" }
  const patched = JSON.stringify(random.pick(scales))
  return { label: "PATCH/scale", question: { method: "PATCH", path: `${path}/scale${query}`, body: patched, headers } }
}

const bindings: ReadonlyArray<Json> = [
  { target: { kind: "Node", name: "n" } },
  { target: { name: "" } },
  { target: { kind: "Pod", name: "n" } },
  {}
]

const ofPods = (random: Random, path: string, object: JsonObject): Step => {
  const metadata = isObject(object.metadata) ? object.metadata : {}
  const named = { metadata: { name: metadata.name ?? "" } }
  const method = "POST"
  if (random.chance(0.5)) {
    const body = { apiVersion: "v1", kind: "Binding", ...named, ...(random.pick(bindings) as JsonObject) }
    return { label: "POST/binding", question: { method, path: `${path}/binding`, body } }
  }
  const deleteOptions = random.pick<JsonObject>([
    {},
    { dryRun: ["All"] },
    { preconditions: { uid: "x" } },
    { gracePeriodSeconds: -1 }
  ])
  const body = { apiVersion: "policy/v1", kind: "Eviction", ...named, deleteOptions }
  return { label: "POST/eviction", question: { method, path: `${path}/eviction?dryRun=All`, body } }
}

/** Returns a request for a subresource, which the kind may not have. */
export const subresource = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const choice = random.next()
  if (resource.kind === "Pod" && choice < 0.3) return ofPods(random, path, object)
  if (choice < 0.45) return scale(random, resource, path, object)
  const name = random.pick(["status", "status", "status", "nothing", "ephemeralcontainers", "resize", "scale"])
  const write = random.chance(0.5) ? replacement : patch
  return at(write(random, resource, path, object), name)
}
