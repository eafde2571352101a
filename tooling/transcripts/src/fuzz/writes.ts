import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Question } from "../Requests.ts"
import { mutated } from "./mutate.ts"
import type { Random } from "./Random.ts"
import { collectionOf, objectNamed, type Resource } from "./Resource.ts"

/** One request of a session, with what it is for. */
export interface Step {
  readonly label: string
  readonly question: Question
}

/** Returns an object with up to `most` random changes. */
export const changed = (random: Random, resource: Resource, object: JsonObject, most: number): JsonObject => {
  const type = { type: "message", message: resource.type } as const
  let made: Json = object
  for (let count = random.below(most + 1); count > 0; count--) made = mutated(random, made, type)
  return isObject(made) ? withoutToken(resource, made) : object
}

/** Distributions add volumes of their own to that of a pod's token. */
const withoutToken = ({ kind }: Resource, object: JsonObject): JsonObject =>
  kind === "Pod" && isObject(object.spec)
    ? { ...object, spec: { ...object.spec, automountServiceAccountToken: false } }
    : object

/** Returns random options of a write. */
export const writeOptions = (random: Random, { isDry }: Resource): string => {
  const parts = isDry || random.chance(0.1) ? ["dryRun=All"] : random.chance(0.02) ? ["dryRun=some"] : []
  if (random.chance(0.6)) parts.push(`fieldValidation=${random.pick(["Strict", "Warn", "Ignore", "strict"])}`)
  if (random.chance(0.1)) parts.push(`fieldManager=${random.pick(["m", "x".repeat(129), "", "%07"])}`)
  if (random.chance(0.05)) parts.push(random.pick(["pretty=true", "force=true", "unknown=1"]))
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

const bodyTypes = ["application/json", "application/yaml", "text/plain"] as const

/** Sends an object, mostly as JSON, which is YAML, too. */
const written = (random: Random, body: JsonObject): Pick<Question, "body" | "headers"> =>
  random.chance(0.85) ? { body } : { body: JSON.stringify(body), headers: { "Content-Type": random.pick(bodyTypes) } }

/** Returns the request that makes an object: the valid one with a few changes. */
export const creation = (random: Random, resource: Resource, name: string): Step => {
  const body = changed(random, resource, objectNamed(resource, name), 3)
  const path = collectionOf(resource) + writeOptions(random, resource)
  return { label: "POST", question: { method: "POST", path, ...written(random, body) } }
}

const patchTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml"
} as const

const jsonPatch = (random: Random, resource: Resource, object: JsonObject): Json => {
  const operations = random.pick([1, 1, 2])
  return Array.from({ length: operations }, () => {
    const name = random.pick(Object.keys(object))
    const value = changed(random, resource, object, 2)[name] ?? null
    const path = random.pick([`/${name}`, `/${name}/nothing`, "/metadata/labels/x", "/metadata/labels", ""])
    const from = random.chance(0.2) ? { from: random.pick(["/metadata/name", "/nothing", `/${name}`]) } : {}
    return { op: random.pick(["add", "replace", "remove", "test", "copy", "move", "bad"]), path, value, ...from }
  })
}

const patchBody = (
  random: Random,
  resource: Resource,
  type: keyof typeof patchTypes,
  path: string,
  object: JsonObject
): Json => {
  if (type === "json") return jsonPatch(random, resource, object)
  const { metadata, ...rest } = changed(random, resource, object, 2)
  if (type === "apply") return { ...rest, metadata: { name: path.split("/").at(-1) ?? "" } }
  const { finalizers, labels } = isObject(metadata) ? metadata : {}
  return random.chance(0.3) ? { ...rest, metadata: { labels: labels ?? null, finalizers: finalizers ?? null } } : rest
}

/** Returns a patch of the object. */
export const patch = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const type = random.pick(Object.keys(patchTypes) as ReadonlyArray<keyof typeof patchTypes>)
  const options = writeOptions(random, resource)
  const manager =
    type === "apply" && !options.includes("fieldManager") ? `${options === "" ? "?" : "&"}fieldManager=f` : ""
  const body = JSON.stringify(patchBody(random, resource, type, path, object))
  const headers = { "Content-Type": patchTypes[type] }
  return { label: `PATCH ${type}`, question: { method: "PATCH", path: `${path}${options}${manager}`, body, headers } }
}

const revisions = ["", "0", "1", "abc", "-1", "18446744073709551616"]

/** Returns a PUT of the object, perhaps at another revision. */
export const replacement = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const made = changed(random, resource, object, 3)
  const metadata = isObject(made.metadata) ? made.metadata : {}
  const body = random.chance(0.1)
    ? { ...made, metadata: { ...metadata, resourceVersion: random.pick(revisions) } }
    : made
  const question = { method: "PUT", path: path + writeOptions(random, resource), ...written(random, body) }
  return { label: "PUT", question }
}
