import type { CustomResourceSubresources, KubeObject, Resource } from "@rollcall/api"
import {
  ErrorList,
  type FieldErrors,
  nameIsDNSSubdomain,
  validateObjectMeta,
  validateObjectMetaUpdate
} from "@rollcall/api/validation"
import type { Fields } from "@rollcall/api/values"
import { runAllSteps, type Steps } from "@rollcall/time"
import type { JsonSchema } from "./JsonSchema.ts"
import { validateListTypes } from "./listTypes.ts"
import { MAX_DEFAULTED_BYTES } from "./normalise.ts"
import { checkScale, checkTypeMeta } from "./typeRules.ts"
import { validateEmbedded } from "./validateEmbedded.ts"
import { hasRules, validateRulesInSteps } from "./validateRules.ts"
import { validateSchemaInSteps } from "./validateSchema.ts"
import { Work, WorkExceeded } from "./Work.ts"

/** A kind of custom resources: its names, the schema of its version, and the paths of its scale. */
export interface CustomType {
  readonly resource: Resource
  readonly schema: JsonSchema
  readonly scale?: CustomResourceSubresources["scale"]
}

/** A write of an object, which is pruned and defaulted. */
export interface WrittenObject {
  readonly object: KubeObject
  /** The object that an update replaces. */
  readonly stored?: KubeObject | undefined
  /** Whether the write is through the status subresource. */
  readonly isStatus?: boolean
  /** Whether its defaults exceed the size of a request: `DefaultsExceeded`. */
  readonly exceedsDefaults?: boolean
}

export interface ObjectFaults {
  readonly errors: FieldErrors
  /** What rules refuse in parts that an update leaves unchanged: the writer is warned only. */
  readonly warned: FieldErrors
}

/** Errors that prevent rules from being evaluated. Upstream: customresource/strategy.go, hasBlockingErr. */
const blockingErrors: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid"
])

const rulesNotChecked =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

/**
 * Returns the errors of a custom resource: its kind, metadata, schema, scale, lists and rules. Upstream:
 * apiextensions-apiserver/pkg/registry/customresource/{strategy,status_strategy,validator}.go.
 */
export const objectFaultsInSteps = function* (written: WrittenObject, type: CustomType): Steps<ObjectFaults> {
  const { object, stored } = written
  const { resource } = type
  const errors = new ErrorList()
  const warned = new ErrorList()
  checkTypeMeta(errors, object, resource)
  // An object of another kind is not validated by the schema, but all else is.
  const isOfType = errors.size === 0
  const { namespaced } = resource
  if (isOfType && stored === undefined)
    validateObjectMeta(errors, object.metadata, { namespaced, name: nameIsDNSSubdomain })
  else if (isOfType && stored !== undefined) validateObjectMetaUpdate(errors, object.metadata, stored.metadata)
  if (written.exceedsDefaults === true) {
    errors.tooLong("<nil>", MAX_DEFAULTED_BYTES)
    return { errors: errors.all, warned: warned.all }
  }
  try {
    yield* validateContent(errors, warned, written, type, isOfType)
    return { errors: errors.all, warned: warned.all }
  } catch (error) {
    if (!(error instanceof WorkExceeded)) throw error
    // The errors found until then could be as large as the work.
    const only = new ErrorList()
    only.forbidden("<nil>", error.message)
    return { errors: only.all, warned: [] }
  }
}

/** Does the work of `objectFaultsInSteps` in one piece, without pauses. */
export const objectFaults = (written: WrittenObject, type: CustomType): ObjectFaults =>
  runAllSteps(objectFaultsInSteps(written, type))

const fieldsOf = (object: KubeObject): Fields => object as KubeObject & Fields

const validateContent = function* (
  errors: ErrorList,
  warned: ErrorList,
  { isStatus = false, object, stored }: WrittenObject,
  { scale, schema }: CustomType,
  isOfType: boolean
): Steps<void> {
  const fields = fieldsOf(object)
  const old = stored && fieldsOf(stored)
  const work = new Work()
  if (isOfType && isStatus) yield* validateStatus(errors, schema, fields, old, work)
  else if (isOfType) yield* validateSchemaInSteps(errors, fields, schema, "", old, work)
  if (isOfType && scale !== undefined) checkScale(errors, object, scale, isStatus)
  if (work.isPauseDue) yield work.resume()
  if (!isStatus) validateEmbedded(errors, fields, schema, "", work)
  if (work.isPauseDue) yield work.resume()
  const lists = new ErrorList()
  validateListTypes(lists, fields, schema, "", work)
  if (work.isPauseDue) yield work.resume()
  if (lists.size > 0 && (old === undefined || !hasListFaults(old, schema, work))) errors.append(lists.all)
  if (!hasRules(schema)) return
  if (errors.all.some(({ type }) => blockingErrors.has(type))) errors.invalid("<nil>", null, rulesNotChecked)
  else yield* validateRulesInSteps(errors, fields, schema, "", old, true, work, warned)
}

/** Validates a status as a value of its own, which is the place that messages name. */
const validateStatus = function* (
  errors: ErrorList,
  schema: JsonSchema,
  { status }: Fields,
  old: Fields | undefined,
  work: Work
): Steps<void> {
  if (status === undefined) return
  const found = new ErrorList()
  yield* validateSchemaInSteps(found, status, schema.properties?.status ?? {}, "", old?.status, work)
  for (const { badValue, detail, field, type } of found.all) {
    errors.add(type, field === "<nil>" ? "status" : `status.${field}`, badValue, detail)
  }
}

/** Whether the stored object has duplicates in lists: those may then remain. */
const hasListFaults = (old: Fields, schema: JsonSchema, work: Work): boolean => {
  const errors = new ErrorList()
  validateListTypes(errors, old, schema, "", work)
  return errors.size > 0
}
