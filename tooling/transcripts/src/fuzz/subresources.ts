import type { WireType } from "@rollcall/api/wire"
import { isObject, type JsonObject } from "../Case.ts"
import { actionOf } from "./actions.ts"
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

/** Fields that a write of a subresource changes. */
const fieldsOf: Readonly<Record<string, string>> = {
  status: "status",
  ephemeralcontainers: "spec",
  resize: "spec",
  finalize: "spec"
}

/** Returns the object with what a status mostly has. */
const withStatus = (random: Random, resource: Resource, object: JsonObject): JsonObject => {
  const field = resource.type.fields.get("status")
  if (field === undefined || random.chance(0.3)) return object
  const status = object.status ?? {}
  return isObject(status) ? { ...object, status: { ...conditioned(random, field.type), ...status } } : object
}

const conditioned = (random: Random, type: WireType): JsonObject =>
  type.type === "message" && type.message.fields.has("conditions")
    ? {
        conditions: [
          {
            type: "Ready",
            status: random.pick(["True", "False", "Unknown", "x"]),
            reason: "R",
            message: "m",
            lastTransitionTime: "2021-03-04T05:06:07Z"
          }
        ]
      }
    : {}

/** Returns a request for a subresource, which the kind may not have. */
export const subresource = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const choice = random.next()
  const own = actionOf(random, resource, path, object)
  if (own !== undefined && choice < 0.3) return own
  if (choice < 0.45) return scale(random, resource, path, object)
  const name = random.pick([
    "status",
    "status",
    "status",
    "nothing",
    "ephemeralcontainers",
    "resize",
    "scale",
    "finalize"
  ])
  if (random.chance(0.5)) {
    const given = name === "status" ? withStatus(random, resource, object) : object
    return at(replacement(random, resource, path, given, random.chance(0.7) ? fieldsOf[name] : undefined), name)
  }
  return at(patch(random, resource, path, object), name)
}
