import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Question } from "../Requests.ts"
import { changedAnywhere } from "./anywhere.ts"
import { mutated } from "./mutate.ts"
import type { Random } from "./Random.ts"
import { collectionOf, objectNamed, type Resource } from "./Resource.ts"

/** One request of a session, with what it is for. */
export interface Step {
  readonly label: string
  readonly question: Question
  /** What the second server is asked, where that differs. */
  readonly own?: Question
}

/** Returns an object with up to `most` random changes: anywhere in it, or within a field. */
export const changed = (
  random: Random,
  resource: Resource,
  object: JsonObject,
  most: number,
  within?: string
): JsonObject => {
  const type = { type: "message", message: resource.type } as const
  let made: Json = object
  for (let count = random.below(most + 1); count > 0; count--) {
    const isAnywhere = within !== undefined || random.chance(0.6)
    made = isAnywhere ? changedAnywhere(random, made, type, within) : mutated(random, made, type)
  }
  return isObject(made) ? withoutToken(resource, made) : object
}

/** Distributions add volumes of their own to that of a pod's token. */
export const withoutToken = ({ kind }: Resource, object: JsonObject): JsonObject =>
  kind === "Pod" && isObject(object.spec)
    ? { ...object, spec: { ...object.spec, automountServiceAccountToken: false } }
    : object

/** Returns random options of a write. */
export const writeOptions = (random: Random, { isDry }: Resource): string => {
  const parts = isDry || random.chance(0.1) ? ["dryRun=All"] : random.chance(0.02) ? ["dryRun=some"] : []
  if (random.chance(0.6)) parts.push(`fieldValidation=${random.pick(["Strict", "Warn", "Ignore", "strict"])}`)
  if (random.chance(0.1)) parts.push(`fieldManager=${random.pick(["m", "x".repeat(129), "", "%07"])}`)
  if (random.chance(0.05))
    parts.push(
      random.pick([
        "pretty=true",
        "force=true",
        "unknown=1",
        "force=x",
        "dryRun=All&dryRun=All",
        "timeout=1h",
        "timeout=x"
      ])
    )
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

const bodyTypes = [
  "application/json",
  "application/yaml",
  "application/json",
  "text/plain",
  "application/json; charset=utf-8"
]

/** Texts that are no document, or one that is read in another way. */
export const damaged = (random: Random, text: string): string =>
  random.pick([
    () => text.slice(0, random.below(text.length)),
    () => `${text} `,
    () => `${text}x`,
    () => `${text}\n---\n${text}`,
    () => "",
    () => "null",
    () => "[]",
    () => `[${text}]`,
    () => text.replace("{", '{"kind":"Other",'),
    () => text.replace('"metadata":{', '"metadata":{"name":"twice",'),
    () => text.replace('"metadata"', '"Metadata"'),
    () => text.replace('"apiVersion":"', '"apiVersion":"x/'),
    () => text.replace('"kind":"', '"kind":"X'),
    () => text.replace(/"kind":"\w+",?/, ""),
    () => text.replace(/"apiVersion":"[\w./]+",?/, ""),
    () => text.replace("}", `,"deep":${"[".repeat(200)}${"]".repeat(200)}}`),
    () => text.replace("}", `,"deep":${"[".repeat(10_001)}${"]".repeat(10_001)}}`),
    () => text.replace(/:"/, ':"\\ud800'),
    () => text.replace(/:"/, ':\t"\u0000'),
    () => text.replace("{", "{ # a comment\n"),
    () => text.replace(/"(\w+)":/g, "$1: ")
  ])()

/** Sends an object, mostly as JSON, which is YAML, too. */
const written = (random: Random, body: JsonObject): Pick<Question, "body" | "headers"> => {
  if (random.chance(0.8)) return { body }
  const text = JSON.stringify(body)
  const headers = { "Content-Type": random.pick(bodyTypes) }
  return { body: random.chance(0.3) ? damaged(random, text) : text, headers }
}

/** Returns the request that makes an object: the valid one with a few changes. */
export const creation = (random: Random, resource: Resource, name: string): Step => {
  const body = changed(random, resource, objectNamed(resource, name), 3)
  const path = collectionOf(resource) + writeOptions(random, resource)
  return { label: "POST", question: { method: "POST", path, ...written(random, body) } }
}

/** Returns the request that makes the valid object. */
export const plainCreation = (resource: Resource, name: string): Step => ({
  label: "POST",
  question: { method: "POST", path: collectionOf(resource), body: objectNamed(resource, name) }
})

const revisions = ["", "0", "1", "abc", "-1", "18446744073709551616"]

/** Returns a PUT of the object, perhaps at another revision. */
export const replacement = (
  random: Random,
  resource: Resource,
  path: string,
  object: JsonObject,
  within?: string
): Step => {
  const made = changed(random, resource, object, 3, within)
  const metadata = isObject(made.metadata) ? made.metadata : {}
  const body = random.chance(0.1)
    ? { ...made, metadata: { ...metadata, resourceVersion: random.pick(revisions) } }
    : made
  const question = { method: "PUT", path: path + writeOptions(random, resource), ...written(random, body) }
  return { label: "PUT", question }
}
