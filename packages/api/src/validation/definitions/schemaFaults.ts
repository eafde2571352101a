import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion
} from "../../objects/CustomResourceDefinition.ts"
import { ErrorList } from "../ErrorList.ts"
import type { FieldErrors } from "../FieldError.ts"
import { printedSchema, schemaShape } from "./internalForm.ts"
import { internalSpec } from "./internalSpec.ts"
import { isJsonObject, isSet, type JsonObject } from "./JsonObject.ts"
import { schemaFormFaults } from "./schemaForm.ts"
import { conversionFault, structuralFaults } from "./structuralSchema.ts"

/** A schema of a definition, with its place. */
export interface DefinedSchema {
  readonly schema: JsonObject
  /** The path of the field `schema` or `validation`. */
  readonly at: string
  /** The version that it belongs to; undefined if it is that of all versions. */
  readonly version: string | undefined
  readonly hasStatus: boolean
}

export const schemaIn = (version: Pick<CustomResourceDefinitionVersion, "schema">): JsonObject | undefined =>
  isJsonObject(version.schema?.openAPIV3Schema) ? version.schema.openAPIV3Schema : undefined

/** Returns the schemas of a definition, each once. */
export const definedSchemas = (spec: CustomResourceDefinitionSpec): ReadonlyArray<DefinedSchema> => {
  const { shared, versions } = internalSpec(spec)
  const common = schemaIn(shared)
  const hasStatus = ({ subresources }: CustomResourceDefinitionVersion) => isJsonObject(subresources?.status)
  if (common !== undefined) {
    return [{ schema: common, at: "spec.validation", version: undefined, hasStatus: spec.versions.some(hasStatus) }]
  }
  return versions.flatMap((version, index) => {
    const schema = schemaIn(version)
    const whole = { ...shared, ...version }
    const at = `spec.versions[${index}].schema`
    return schema === undefined ? [] : [{ schema, at, version: version.name, hasStatus: hasStatus(whole) }]
  })
}

/** What steps yield: see `Steps` of `@rollcall/time`. */
type Pause = { readonly start: (resume: () => void) => void } | undefined

/** What checks a schema beyond its form, for servers that serve custom resources. */
export interface DeepChecks {
  /** Says why a pattern is no regular expression. */
  patternFault(pattern: string): string | undefined
  defaults(schema: JsonObject, at: string): Generator<Pause, FieldErrors, undefined>
  /** Checks the rules; those that contain a fault of the form are not compiled. */
  rules(schema: JsonObject, at: string, form: FieldErrors): Generator<Pause, FieldErrors, undefined>
}

const anyPattern = () => undefined

/**
 * Returns the errors of a schema, in steps; without `checks` only those of its form. Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation,
 * validateCustomResourceDefinitionValidation.
 */
export const definedSchemaFaults = function* (
  defined: DefinedSchema,
  checks?: DeepChecks
): Generator<Pause, FieldErrors, undefined> {
  const { schema } = defined
  const at = `${defined.at}.openAPIV3Schema`
  const errors = new ErrorList()
  if (defined.hasStatus) checkRoot(errors, schema, at)
  if (schema.nullable === true) errors.forbidden(`${at}.nullable`, "nullable cannot be true at the root")
  const unconverted = conversionFault(schema)
  let isSound = unconverted === undefined
  if (isSound) {
    const structural = structuralFaults(schema, at, checks?.patternFault ?? anyPattern)
    const faults = structural.length > 0 || checks === undefined ? structural : yield* checks.defaults(schema, at)
    isSound = faults.length === 0
    errors.append(faults)
  }
  const form = schemaFormFaults(schema, at)
  errors.append(form)
  if (isSound && checks !== undefined) errors.append(yield* checks.rules(schema, at, form))
  if (errors.size === 0 && unconverted !== undefined) errors.invalid(at, "", unconverted)
  return errors.all
}

/** The fields that a root schema may have with a status, by the names in the message. */
const allowedAtRoot = [
  ..."Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength".split(" "),
  ..."Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example".split(" "),
  ..."XPreserveUnknownFields XValidations".split(" ")
]

/** The schema of a status is taken from the properties of the root, so nothing else may restrict it. */
const checkRoot = (errors: ErrorList, schema: JsonObject, at: string): void => {
  for (const [goName, field] of schemaShape) {
    const value = schema[field]
    if (!isSet(value) && typeof value !== "number" && !isJsonObject(value)) continue
    if (goName === "Type") {
      if (value === "object") continue
      const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
      errors.invalid(`${at}.type`, value, text)
      return
    }
    if (allowedAtRoot.includes(goName)) continue
    const fields = `[${allowedAtRoot.join(" ")}]`
    const text = `only ${fields} fields are allowed at the root of the schema if the status subresource is enabled`
    errors.invalid(at, printedSchema(schema), text)
    return
  }
}

/** Does the work of a generator that checks nothing deep in one piece. */
export const shallowFaults = (defined: DefinedSchema): FieldErrors => {
  const work = definedSchemaFaults(defined)
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

/** Visits a schema and all schemas within it. */
export const eachSchemaPart = (schema: JsonObject, visit: (part: JsonObject) => void): void => {
  visit(schema)
  const { additionalProperties, allOf, anyOf, items, not, oneOf, properties } = schema
  const lists = [items, allOf, anyOf, oneOf].flatMap((given) => (Array.isArray(given) ? given : [given]))
  const fields = isJsonObject(properties) ? Object.values(properties) : []
  for (const part of [...lists, not, ...fields, additionalProperties])
    if (isJsonObject(part)) eachSchemaPart(part, visit)
}
