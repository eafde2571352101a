import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@rollcall/api"
import { ErrorList, type FieldErrors } from "@rollcall/api/validation"
import { isFields, sameValue } from "../../core/objects/values.ts"
import { runAllSteps, type Steps } from "../../core/turns/Steps.ts"
import { checkRules } from "../rules/ruleFaults.ts"
import { asSchema, type JsonSchema, valuesOf } from "../schema/JsonSchema.ts"
import { DefaultsExceeded, MAX_DEFAULTED_BYTES, normaliseDefault } from "../schema/normalise.ts"
import { validateSchemaInSteps } from "../schema/validateSchema.ts"
import { compilePattern, compileSteps, PatternFault } from "../work/patterns.ts"
import { FAULT_STEPS, VISIT_STEPS, Work, WorkExceeded } from "../work/Work.ts"

const schemaOf = (version: CustomResourceDefinitionVersion): JsonSchema | undefined =>
  isFields(version.schema?.openAPIV3Schema) ? asSchema(version.schema.openAPIV3Schema) : undefined

/**
 * Returns the errors in the patterns, defaults and rules of a definition's schemas, as far as they are new. Schemas
 * that are the same in every version are checked once, with the path of a top-level schema. Upstream:
 * apiextensions-apiserver/pkg/apis/apiextensions/validation, validateCustomResourceDefinitionValidation.
 */
export const schemaFaultsInSteps = function* (
  definition: CustomResourceDefinition,
  old?: CustomResourceDefinition
): Steps<FieldErrors> {
  const { versions } = definition.spec
  const known = new Map(old?.spec.versions.map((version) => [version.name, schemaOf(version)]))
  const schemas = versions.map(schemaOf)
  const [first] = schemas
  const common = schemas.every((schema) => schema === first || sameValue(schema, first))
  const errors = new ErrorList()
  const work = new Work()
  for (const [index, version] of versions.entries()) {
    const schema = schemas[index]
    if (schema === undefined || sameValue(schema, known.get(version.name))) continue
    const at = common ? "spec.validation.openAPIV3Schema" : `spec.versions[${index}].schema.openAPIV3Schema`
    const faults = yield* checkSchema(schema, at, work)
    errors.append(faults)
    if (common) break
  }
  return errors.all
}

/** Does the work of `schemaFaultsInSteps` in one piece, without pauses. */
export const schemaFaults = (...of: Parameters<typeof schemaFaultsInSteps>): FieldErrors =>
  runAllSteps(schemaFaultsInSteps(...of))

const checkSchema = function* (schema: JsonSchema, at: string, work: Work): Steps<FieldErrors> {
  const errors = new ErrorList()
  try {
    checkPatterns(errors, schema, at, work)
    yield
    if (errors.size === 0) yield* checkDefaults(errors, schema, at, work)
    if (errors.size === 0) yield* checkRules(errors, schema, at, work)
    return errors.all
  } catch (error) {
    if (!(error instanceof WorkExceeded)) throw error
    const only = new ErrorList()
    only.forbidden(at, error.message)
    return only.all
  }
}

/** Visits each subschema that describes a part of the object, with its path. */
const eachPart = (schema: JsonSchema, at: string, visit: (part: JsonSchema, at: string) => void): void => {
  for (const [name, property] of Object.entries(schema.properties ?? {})) visit(property, `${at}.properties[${name}]`)
  const values = valuesOf(schema)
  if (values !== undefined) visit(values, `${at}.additionalProperties`)
  if (schema.items !== undefined) visit(schema.items, `${at}.items`)
}

/** Visits each subschema that the same value must also satisfy, with its path. */
const eachAlternative = (schema: JsonSchema, at: string, visit: (part: JsonSchema, at: string) => void): void => {
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    schema[name]?.forEach((part, index) => {
      visit(part, `${at}.${name}[${index}]`)
    })
  }
  if (schema.not !== undefined) visit(schema.not, `${at}.not`)
}

const checkPatterns = (errors: ErrorList, schema: JsonSchema, at: string, work: Work): void => {
  work.spend(VISIT_STEPS)
  const { pattern } = schema
  if (pattern !== undefined && pattern !== "") {
    work.spend(compileSteps(pattern))
    const compiled = compilePattern(pattern)
    if (compiled instanceof PatternFault) {
      work.spend(FAULT_STEPS + pattern.length)
      errors.invalid(`${at}.pattern`, pattern, `must be a valid regular expression, but isn't: ${compiled.message}`)
    }
  }
  const visit = (part: JsonSchema, place: string) => checkPatterns(errors, part, place, work)
  eachPart(schema, at, visit)
  eachAlternative(schema, at, visit)
}

/** Upstream: apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go. */
const checkDefaults = function* (errors: ErrorList, schema: JsonSchema, at: string, work: Work): Steps<void> {
  const defaulted: Array<readonly [JsonSchema, string]> = []
  const find = (part: JsonSchema, place: string): void => {
    if (part.default !== undefined) defaulted.push([part, `${place}.default`])
    eachPart(part, place, find)
  }
  find(schema, at)
  for (const [part, place] of defaulted) {
    yield* checkDefault(errors, part, place, work)
    if (work.isPauseDue) yield work.resume()
  }
}

const checkDefault = function* (errors: ErrorList, schema: JsonSchema, at: string, work: Work): Steps<void> {
  try {
    const found = new ErrorList()
    yield* validateSchemaInSteps(found, normaliseDefault(schema), schema, "", undefined, work)
    for (const { badValue, detail, field, type } of found.all) {
      errors.add(type, field === "<nil>" || field === "" ? at : `${at}.${field}`, badValue, detail)
    }
  } catch (error) {
    if (!(error instanceof DefaultsExceeded)) throw error
    work.spend(FAULT_STEPS)
    errors.tooLong(at, MAX_DEFAULTED_BYTES)
  }
}
