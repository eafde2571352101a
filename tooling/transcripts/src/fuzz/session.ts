import { apiVersionOf, type KindName, resourceOf } from "@rollcall/api"
import { wireTypeOf } from "@rollcall/api/wire"
import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Question } from "../Requests.ts"
import { bases, dryKinds } from "./bases.ts"
import { mutated } from "./mutate.ts"
import type { Random } from "./Random.ts"

/** One request of a session, with what it is for. */
export interface Step {
  readonly label: string
  readonly question: Question
}

export const NAMESPACE = "fuzz"

const isDry = (kind: KindName): boolean => dryKinds[kind] !== undefined

/** Returns the path of a kind's collection. */
export const collectionOf = (kind: KindName): string => {
  const { group, namespaced, plural, version } = resourceOf(kind)
  const prefix = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
  return `${prefix}${namespaced ? `/namespaces/${NAMESPACE}` : ""}/${plural}`
}

const baseOf = (kind: KindName, name: string): JsonObject => {
  const base = bases[kind] ?? dryKinds[kind] ?? {}
  const metadata = isObject(base.metadata) ? base.metadata : {}
  const named = kind === "CustomResourceDefinition" ? "things.fuzz.example.com" : name
  return { apiVersion: apiVersionOf(kind), kind, ...base, metadata: { ...metadata, name: named } }
}

const changed = (random: Random, kind: KindName, object: JsonObject, most: number): JsonObject => {
  const type = { type: "message", message: wireTypeOf(kind) } as const
  let made: Json = object
  for (let count = random.below(most + 1); count > 0; count--) made = mutated(random, made, type)
  return isObject(made) ? made : object
}

const query = (random: Random, kind: KindName): string => {
  const parts = isDry(kind) ? ["dryRun=All"] : random.chance(0.1) ? ["dryRun=All"] : []
  if (random.chance(0.6)) parts.push(`fieldValidation=${random.pick(["Strict", "Warn", "Ignore", "strict"])}`)
  if (random.chance(0.1)) parts.push(`fieldManager=${random.pick(["m", "x".repeat(129), ""])}`)
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

/** Returns the request that makes an object: a base with a few changes. */
export const creation = (random: Random, kind: KindName, name: string): Step => {
  const body = changed(random, kind, baseOf(kind, name), 3)
  return { label: "POST", question: { method: "POST", path: collectionOf(kind) + query(random, kind), body } }
}

const patchTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml"
} as const

const jsonPatch = (random: Random, kind: KindName, object: JsonObject): Json => {
  const name = random.pick(Object.keys(object))
  const value = changed(random, kind, object, 2)[name] ?? null
  const path = random.pick([`/${name}`, `/${name}/nothing`, "/metadata/labels/x", "/metadata/labels", ""])
  return [{ op: random.pick(["add", "replace", "remove", "test", "copy", "bad"]), path, value }]
}

const patch = (random: Random, kind: KindName, path: string, object: JsonObject): Step => {
  const type = random.pick(Object.keys(patchTypes) as ReadonlyArray<keyof typeof patchTypes>)
  const { metadata: _, ...rest } = changed(random, kind, object, 2)
  const body =
    type === "json" ? jsonPatch(random, kind, object) : type === "apply" ? { ...rest, metadata: { name: "o" } } : rest
  const given = type === "apply" ? { ...(body as JsonObject), metadata: { name: path.split("/").at(-1) ?? "" } } : body
  const options = query(random, kind)
  const manager =
    type === "apply" && !options.includes("fieldManager") ? `${options === "" ? "?" : "&"}fieldManager=f` : ""
  const question = {
    method: "PATCH",
    path: `${path}${options}${manager}`,
    body: JSON.stringify(given),
    headers: { "Content-Type": patchTypes[type] }
  }
  return { label: `PATCH ${type}`, question }
}

const accepts = [
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/yaml",
  "text/html",
  "*/*"
] as const

const read = (random: Random, kind: KindName, path: string): Step => {
  const list = random.chance(0.5)
  const selectors = [
    "labelSelector=app%3Da",
    "labelSelector=%21%21",
    "fieldSelector=metadata.name%3Dx",
    "fieldSelector=spec.x%3D1",
    "limit=-1",
    "limit=1",
    "resourceVersion=abc",
    "resourceVersion=0",
    "resourceVersionMatch=Exact",
    "timeoutSeconds=x"
  ]
  const options = random.chance(0.6) ? `?${random.pick(selectors)}` : ""
  const question = {
    method: "GET",
    path: (list ? collectionOf(kind) : path) + options,
    headers: { Accept: random.pick(accepts) }
  }
  return { label: list ? "LIST" : "GET", question }
}

/** Returns a further request about the object, as both servers returned it. */
export const further = (random: Random, kind: KindName, path: string, object: JsonObject): Step => {
  const choice = random.next()
  const subresource = random.chance(0.25) ? random.pick(["/status", "/scale", "/nothing"]) : ""
  if (choice < 0.35) {
    const body = changed(random, kind, object, 3)
    const question = { method: "PUT", path: path + subresource + query(random, kind), body }
    return { label: `PUT${subresource}`, question }
  }
  if (choice < 0.75) {
    const step = patch(random, kind, path, object)
    const [at = "", options] = step.question.path.split("?")
    const full = `${at}${subresource}${options === undefined ? "" : `?${options}`}`
    return { label: `${step.label}${subresource}`, question: { ...step.question, path: full } }
  }
  return read(random, kind, path)
}

/** Returns the request that removes the object for good. */
export const deletion = (random: Random, path: string): Step => {
  const options = random.pick([
    undefined,
    { gracePeriodSeconds: 0 },
    { gracePeriodSeconds: -1 },
    { propagationPolicy: "Bad" },
    { propagationPolicy: "Background", dryRun: ["All"] },
    { preconditions: { uid: "x" } },
    { kind: "DeleteOptions", apiVersion: "v1", unknown: 1 }
  ])
  return { label: "DELETE", question: { method: "DELETE", path, ...(options === undefined ? {} : { body: options }) } }
}
