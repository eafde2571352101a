import { ErrorList } from "@rollcall/api/validation"
import { isFields } from "@rollcall/api/values"
import type { Steps } from "@rollcall/time"
import { type JsonSchema, preservesUnknown, typeMetaFields, valuesOf } from "./JsonSchema.ts"
import { DefaultsExceeded, MAX_DEFAULTED_BYTES, normaliseDefault } from "./normalise.ts"
import { validateEmbedded } from "./validateEmbedded.ts"
import { validateRulesInSteps } from "./validateRules.ts"
import { validateSchemaInSteps } from "./validateSchema.ts"
import { FAULT_STEPS, VISIT_STEPS, type Work } from "./Work.ts"

/**
 * Checks that every default is valid by its own schema. Defaults of the values of maps are not checked. Upstream:
 * apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go.
 */
export const checkDefaults = function* (
  errors: ErrorList,
  given: JsonSchema,
  at: string,
  work: Work,
  place: Place = "root"
): Steps<void> {
  const schema = place === "root" ? { ...given, "x-kubernetes-embedded-resource": true } : given
  work.spend(VISIT_STEPS)
  if (schema.default !== undefined && schema.default !== null) {
    // The fields of metadata are known without a schema.
    if (place !== "meta" && hasUnknown(schema.default, schema)) {
      errors.invalid(`${at}.default`, schema.default, "must not have unknown fields")
    }
    yield* checkDefault(errors, schema, `${at}.default`, work)
    if (work.isPauseDue) yield work.resume()
  }
  const isWhole = schema["x-kubernetes-embedded-resource"] === true
  const inner = isWhole || place === "value" ? "value" : "meta"
  if (schema.items !== undefined) yield* checkDefaults(errors, schema.items, `${at}.items`, work, inner)
  for (const name of Object.keys(schema.properties ?? {}).sort()) {
    const ofMeta = isWhole && typeMetaFields.some((field) => field === name)
    const within = ofMeta ? "meta" : inner
    yield* checkDefaults(errors, schema.properties?.[name] ?? {}, `${at}.properties[${name}]`, work, within)
  }
}

/** Where a schema is: the whole object's, in the metadata of it or of an object within, or elsewhere. */
type Place = "root" | "meta" | "value"

const checkDefault = function* (errors: ErrorList, schema: JsonSchema, at: string, work: Work): Steps<void> {
  const { default: value } = schema
  if (exceedsBounds(schema)) {
    work.spend(FAULT_STEPS)
    errors.tooLong(at, MAX_DEFAULTED_BYTES)
    return
  }
  const found = new ErrorList()
  validateEmbedded(found, value, schema, "", work)
  if (found.size === 0) yield* validateSchemaInSteps(found, value, schema, "", undefined, work)
  if (found.size === 0) yield* checkRulesOf(found, schema, work)
  for (const { badValue, detail, field, type } of found.all) {
    errors.add(type, field === "<nil>" || field === "" ? at : `${at}.${field}`, badValue, detail)
  }
}

/** Rules must hold for an object that is created with the default, and for one that is updated with it. */
const checkRulesOf = function* (errors: ErrorList, schema: JsonSchema, work: Work): Steps<void> {
  const { default: value } = schema
  const whole = schema["x-kubernetes-embedded-resource"] === true
  yield* validateRulesInSteps(errors, value, schema, "", value, whole, work)
  if (errors.size === 0) yield* validateRulesInSteps(errors, value, schema, "", undefined, whole, work)
}

const exceedsBounds = (schema: JsonSchema): boolean => {
  try {
    normaliseDefault(schema)
    return false
  } catch (error) {
    if (error instanceof DefaultsExceeded) return true
    throw error
  }
}

/** Whether a value has fields that pruning would remove. */
const hasUnknown = (value: unknown, schema: JsonSchema): boolean => {
  if (Array.isArray(value)) {
    const { items } = schema
    return items !== undefined && value.some((item) => hasUnknown(item, items))
  }
  if (!isFields(value)) return false
  const { properties = {} } = schema
  const values = valuesOf(schema)
  const keepsAll = preservesUnknown(schema) || schema.additionalProperties === true
  const isWhole = schema["x-kubernetes-embedded-resource"] === true
  return Object.entries(value).some(([name, part]) => {
    if (isWhole && typeMetaFields.some((field) => field === name)) return false
    const inner = Object.hasOwn(properties, name) ? properties[name] : values
    return inner === undefined ? !keepsAll : hasUnknown(part, inner)
  })
}
