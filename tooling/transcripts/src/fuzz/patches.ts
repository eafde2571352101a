import { isObject, type Json, type JsonObject } from "../Case.ts"
import { withDirectives } from "./directives.ts"
import type { Random } from "./Random.ts"
import type { Resource } from "./Resource.ts"
import { changed, damaged, type Step, withoutToken, writeOptions } from "./writes.ts"

const patchTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml"
} as const

const pointers = [
  "/metadata/labels/x",
  "/metadata/labels",
  "",
  "/metadata/name",
  "/spec/",
  "/a~1b",
  "/a~2",
  "x",
  "/status"
]

/** Returns the pointer to something within the object. */
const pointerInto = (random: Random, value: Json, at = ""): string => {
  if (random.chance(0.25)) return at
  if (Array.isArray(value)) {
    const index = random.pick([0, value.length - 1, value.length, "-", "-1", "01"])
    return pointerInto(random, value[Number(index)] ?? null, `${at}/${index}`)
  }
  if (!isObject(value) || Object.keys(value).length === 0) return at
  const name = random.pick(Object.keys(value))
  return pointerInto(random, value[name] ?? null, `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`)
}

const jsonPatch = (random: Random, resource: Resource, object: JsonObject): Json => {
  const operations = random.pick([1, 1, 2, 3])
  return Array.from({ length: operations }, () => {
    const name = random.pick(Object.keys(object))
    const into = pointerInto(random, object)
    const made = changed(random, resource, object, 2)
    const path = random.pick([`/${name}`, `/${name}`, into, into, `/${name}/nothing`, random.pick(pointers)])
    const value = path === "" ? made : (made[name] ?? null)
    const from = random.chance(0.2) ? { from: random.pick(["/metadata/name", "/nothing", `/${name}`, into]) } : {}
    const op = random.pick(["add", "replace", "replace", "remove", "test", "copy", "move", "bad"])
    return random.chance(0.03) ? { op, path } : { op, path, value, ...from }
  })
}

/** Returns a few fields of an object, with one change, as a manager applies them. */
const intent = (random: Random, resource: Resource, object: JsonObject, path: string): JsonObject => {
  const { apiVersion, kind, metadata, spec, status: _, ...rest } = changed(random, resource, object, 1)
  const fields = Object.entries(isObject(spec) ? spec : {}).filter(() => random.chance(0.7))
  const { annotations, labels } = isObject(metadata) ? metadata : {}
  const named = { name: decodeURIComponent(path.split("/").at(-1) ?? "") }
  return withoutToken(resource, {
    ...(random.chance(0.97) && { apiVersion: apiVersion ?? "" }),
    ...(random.chance(0.97) && { kind: kind ?? "" }),
    metadata: { ...named, ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) },
    ...(spec !== undefined && { spec: Object.fromEntries(fields) }),
    ...rest
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
  if (type === "apply") return intent(random, resource, object, path)
  const { metadata, ...rest } = changed(random, resource, object, 2)
  const { finalizers, labels } = isObject(metadata) ? metadata : {}
  const made = random.chance(0.3)
    ? { ...rest, metadata: { labels: labels ?? null, finalizers: finalizers ?? null } }
    : rest
  return type === "strategic" ? withDirectives(random, made, { type: "message", message: resource.type }) : made
}

const patchOptions = (random: Random, resource: Resource, type: keyof typeof patchTypes): string => {
  const options = writeOptions(random, resource)
  if (type !== "apply" || options.includes("fieldManager")) return options
  const force = options.includes("force") || random.chance(0.6) ? "" : "&force=true"
  return `${options === "" ? "?" : `${options}&`}fieldManager=${random.pick(["f", "g"])}${force}`
}

/** Returns a patch of the object. */
export const patch = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const type = random.pick(Object.keys(patchTypes) as ReadonlyArray<keyof typeof patchTypes>)
  const text = JSON.stringify(patchBody(random, resource, type, path, object))
  const body = random.chance(0.04) ? damaged(random, text) : text
  const headers = { "Content-Type": patchTypes[type] }
  const at = path + patchOptions(random, resource, type)
  return { label: `PATCH ${type}`, question: { method: "PATCH", path: at, body, headers } }
}
