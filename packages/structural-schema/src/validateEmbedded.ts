import type { ObjectMeta } from "@rollcall/api"
import { ErrorList, isDNS1035Label, nameIsPathSegment, validateObjectMeta } from "@rollcall/api/validation"
import { type Fields, isFields } from "@rollcall/api/values"
import { child, type JsonSchema, valuesOf } from "./JsonSchema.ts"
import { FAULT_STEPS, GLANCE_STEPS, type Work } from "./Work.ts"

/**
 * Checks that embedded objects have apiVersion, kind and valid metadata.
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/objectmeta/validation.go.
 */
export const validateEmbedded = (
  errors: ErrorList,
  value: unknown,
  schema: JsonSchema,
  path: string,
  work: Work
): void => {
  work.spend(GLANCE_STEPS)
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    for (const [index, item] of value.entries()) validateEmbedded(errors, item, items, `${path}[${index}]`, work)
    return
  }
  if (!isFields(value)) return
  if (schema["x-kubernetes-embedded-resource"] === true) {
    const before = errors.size
    checkWhole(errors, value, path)
    work.spend((errors.size - before) * FAULT_STEPS)
  }
  const { properties = {} } = schema
  const values = valuesOf(schema)
  for (const name of Object.keys(value)) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : values
    if (inner === undefined) continue
    validateEmbedded(errors, value[name], inner, values === inner ? `${path}[${name}]` : child(path, name), work)
  }
}

const checkWhole = (errors: ErrorList, value: Fields, path: string): void => {
  for (const name of ["apiVersion", "kind"]) {
    const text = value[name]
    const place = child(path, name)
    if (text === undefined) errors.required(place)
    else if (typeof text !== "string") errors.invalid(place, text, "must be a string")
    else if (text === "") errors.invalid(place, text, "must not be empty")
    else if (name === "kind") checkKind(errors, text, place)
    else if (text.split("/").length > 2) errors.invalid(place, text, `unexpected GroupVersion string: ${text}`)
  }
  const { metadata } = value
  if (!isFields(metadata)) return
  const given = metadata as ObjectMeta
  // An embedded object needs no name.
  const named = given.name ? given : { ...given, name: "fakename" }
  const found = new ErrorList()
  validateObjectMeta(found, named, { namespaced: Boolean(given.namespace), name: nameIsPathSegment })
  for (const { badValue, detail, field, type } of found.all) errors.add(type, child(path, field), badValue, detail)
}

const checkKind = (errors: ErrorList, kind: string, place: string): void => {
  const messages = isDNS1035Label(kind.toLowerCase())
  if (messages.length === 0) return
  errors.invalid(place, kind, `may have mixed case, but should otherwise match: ${messages.join(",")}`)
}
