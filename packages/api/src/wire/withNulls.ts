import { rawJson } from "../exactJson.ts"
import { canonicalJson, escapeHtml } from "../json.ts"
import { isUnset } from "./decode/goTypes.ts"
import { writtenText } from "./rawText.ts"
import type { MessageType, WireType } from "./WireType.ts"
import { wireTypeOfGvk } from "./wireTypes.ts"

/*
 * Writes the nulls of a response as Go does: for a list or map without elements, or an absent pointer, that Go always
 * writes. In the server's memory such a value is empty or absent, so that no reader meets a null.
 */

type Json = Readonly<Record<string, unknown>>

/**
 * What to do with a field: for which values Go writes null, if any; whether it writes the text that the value came as;
 * `below` if values in it have such fields.
 */
interface FieldPlan {
  readonly name: string
  readonly nullFor: "absent" | "empty" | undefined
  readonly isText: boolean
  readonly below: Plan | undefined
}

/** How the values of a type are written. */
type Plan =
  | { readonly form: "message"; readonly fields: ReadonlyArray<FieldPlan> }
  | { readonly form: "list" | "map"; readonly items: Plan }

const isList = (type: MessageType, name: string): boolean =>
  type.gvk?.kind.endsWith("List") === true && name === "items"

/** The message of a field's values, at any depth of lists and maps. */
const messageOf = (type: WireType): MessageType | undefined => {
  if (type.type === "message") return type.message
  if (type.type === "scalar") return undefined
  return messageOf(type.type === "list" ? type.items : type.values)
}

/** Returns for which values of a field Go writes null: an absent pointer, or a list or map without elements. */
const nullForOf = (type: MessageType, name: string): FieldPlan["nullFor"] => {
  const field = type.fields.get(name)
  if (field === undefined || field.omitEmpty || isList(type, name)) return undefined
  if (field.pointer) return "absent"
  return field.type.type === "list" || field.type.type === "map" ? "empty" : undefined
}

const isText = (type: WireType): boolean => type.type === "scalar" && type.scalar === "RawExtension"

/** Whether values of the type have a field that Go always writes, or writes as text, at any depth. */
const hasWritten = (type: MessageType, seen = new Set<MessageType>()): boolean => {
  if (seen.has(type)) return false
  seen.add(type)
  for (const { name, type: of } of type.fields.values()) {
    const message = messageOf(of)
    if (isText(of) || nullForOf(type, name) !== undefined || (message !== undefined && hasWritten(message, seen)))
      return true
  }
  return false
}

const plans = new Map<MessageType, Plan | undefined>()

/** Returns the plan of a message; undefined if nothing of it needs a null. It is made once for each message. */
const planOf = (type: MessageType): Plan | undefined => {
  if (plans.has(type)) return plans.get(type)
  const fields: Array<FieldPlan> = []
  const plan: Plan | undefined = hasWritten(type) ? { form: "message", fields } : undefined
  // Stored before its fields are planned: messages may be recursive.
  plans.set(type, plan)
  if (plan === undefined) return undefined
  for (const { name, type: of } of type.fields.values()) {
    const below = planOfType(of)
    const nullFor = nullForOf(type, name)
    if (isText(of) || nullFor !== undefined || below !== undefined)
      fields.push({ name, nullFor, isText: isText(of), below })
  }
  return plan
}

const planOfType = (type: WireType): Plan | undefined => {
  if (type.type === "scalar") return undefined
  if (type.type === "message") return planOf(type.message)
  const items = planOfType(type.type === "list" ? type.items : type.values)
  return items === undefined ? undefined : { form: type.type, items }
}

const isNil = (value: unknown): boolean => {
  if (value === undefined || value === null) return true
  if (typeof value !== "object") return false
  for (const _ in value) return false
  return true
}

/** How values are written. */
interface Form {
  /** Where the texts are put of values that are written as they came; undefined to write them as the values that they are. */
  readonly texts?: Array<string>
  /** Whether empty lists and maps that the client sent are not null: so they are until they are stored. */
  readonly keepsSent?: true
}

const plain: Form = {}
const asSent: Form = { keepsSent: true }

const isNilIn = ({ keepsSent }: Form, value: unknown): boolean =>
  isNil(value) && (keepsSent !== true || typeof value !== "object" || value === null || isUnset(value))

const written = (plan: Plan, value: unknown, form: Form): unknown => {
  if (typeof value !== "object" || value === null) return value
  switch (plan.form) {
    case "message":
      return writtenMessage(plan.fields, value as Json, form)
    case "list": {
      if (!Array.isArray(value)) return value
      const items = value.map((item) => written(plan.items, item, form))
      return items.every((item, index) => item === value[index]) ? value : items
    }
    case "map":
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, written(plan.items, item, form)]))
  }
}

/** Returns a number that stands for the text that a value came as: no other is written so. The value itself if it has none. */
const putText = (value: unknown, texts: Array<string>): unknown => {
  const text = writtenText(value)
  return text === undefined ? value : rawJson(`0e${texts.push(text) - 1}`)
}

/** What `putText` writes after the end of a key. Within a text, a quote follows a backslash. */
const placeholders = /(\w":)0e(\d+)/g

const writtenMessage = (fields: ReadonlyArray<FieldPlan>, message: Json, form: Form): Json => {
  let out: Record<string, unknown> | undefined
  for (const { below, isText, name, nullFor } of fields) {
    const before = message[name]
    const isNull = nullFor !== undefined && (nullFor === "empty" ? isNilIn(form, before) : before === undefined)
    const own = isText && form.texts !== undefined ? putText(before, form.texts) : before
    const after = isNull ? null : below === undefined ? own : written(below, before, form)
    if (after === before) continue
    out ??= { ...message }
    out[name] = after
  }
  return out ?? message
}

/** The plans of kinds, by kind and apiVersion. */
const plansByKind = new Map<string, Map<string, Plan | undefined>>()

const planOfKind = (apiVersion: string, kind: string): Plan | undefined => {
  const known = plansByKind.get(kind)
  if (known?.has(apiVersion) === true) return known.get(apiVersion)
  const [group = "", version] = apiVersion.split("/")
  const type = wireTypeOfGvk(version === undefined ? { group: "", version: group, kind } : { group, version, kind })
  // Kinds without a wire type are those of clients, who may define any number of them.
  if (type === undefined) return undefined
  const plan = planOf(type)
  if (known === undefined) plansByKind.set(kind, new Map([[apiVersion, plan]]))
  else known.set(apiVersion, plan)
  return plan
}

const writtenObject = (object: unknown, form: Form): unknown => {
  if (typeof object !== "object" || object === null) return object
  const { apiVersion, kind } = object as Json
  if (typeof apiVersion !== "string" || typeof kind !== "string") return object
  const plan = planOfKind(apiVersion, kind)
  if (plan === undefined) return object
  return written(plan, object, isStoredAsJson(apiVersion) ? { ...form, ...asSent } : form)
}

/** Whether Kubernetes stores the group in JSON, which tells an empty list from none. Protobuf, of all others, does not. */
const isStoredAsJson = (apiVersion: string): boolean =>
  apiVersion.startsWith("apiextensions.k8s.io/") || apiVersion.startsWith("apiregistration.k8s.io/")

/**
 * Returns an object or list as Go writes it, with null for what is always written and has no value;
 * the value itself if it has none of these, or is of a kind without a wire type.
 */
export const withNulls = (object: unknown): unknown => writtenObject(object, plain)

/** Does the same for an object that is not stored yet, whose empty lists and maps are as the client sent them. */
export const withNullsAsSent = (object: unknown): unknown => writtenObject(object, asSent)

/** Whether the object is a custom resource, which Go keeps as maps and writes with sorted keys. */
export const isUntyped = (object: unknown): boolean => {
  if (typeof object !== "object" || object === null) return false
  const { apiVersion, kind } = object as Json
  if (typeof apiVersion !== "string" || typeof kind !== "string") return false
  const at = apiVersion.indexOf("/")
  if (at < 0 || apiVersion.startsWith("meta.k8s.io/")) return false
  return wireTypeOfGvk({ group: apiVersion.slice(0, at), version: apiVersion.slice(at + 1), kind }) === undefined
}

/** Whether JSON.stringify writes the object as Go does, but for characters of HTML. */
export const isAsWritten = (object: unknown): boolean =>
  !isUntyped(object) && writtenObject(object, { texts: [] }) === object

/**
 * Returns the JSON of an object or list as Go writes it: `withNulls`, each value that Go keeps as text with its text, the keys
 * of custom resources in order, and characters of HTML escaped.
 */
export const goJson = (object: unknown): string => {
  if (isUntyped(object)) return escapeHtml(canonicalJson(object))
  const texts: Array<string> = []
  const json = escapeHtml(JSON.stringify(writtenObject(object, { texts })))
  return texts.length === 0 ? json : json.replace(placeholders, (_, key: string, at: string) => key + texts[Number(at)])
}
