import type { CustomResourceSubresources, KubeObject, Resource } from "@rollcall/api"
import {
  ErrorList,
  type FieldErrors,
  fieldErrorText,
  nameIsDNSSubdomain,
  validateObjectMeta,
  validateObjectMetaUpdate
} from "@rollcall/api/validation"
import { type Fields, sameValue, statusOf, withStatus } from "@rollcall/api/values"
import type { Subresource } from "@rollcall/cluster"
import { type MaybeSteps, runAllSteps, type Steps } from "@rollcall/time"
import type { CustomOptions } from "../../core/registry/defineCustom.ts"
import type { Strategy } from "../../core/registry/KindDefinition.ts"
import { hasRules, validateRulesInSteps } from "../rules/validateRules.ts"
import type { JsonSchema } from "../schema/JsonSchema.ts"
import { validateListTypes } from "../schema/listTypes.ts"
import { DefaultsExceeded, MAX_DEFAULTED_BYTES, normalise } from "../schema/normalise.ts"
import { validateEmbedded } from "../schema/validateEmbedded.ts"
import { validateSchemaInSteps } from "../schema/validateSchema.ts"
import { Work, WorkExceeded } from "../work/Work.ts"
import { checkScale, checkTypeMeta, finalizerWarnings } from "./typeRules.ts"

interface Rules
  extends Pick<
    CustomOptions,
    "validateInSteps" | "validationWarnings" | "strategy" | "validate" | "validateStatusUpdate" | "validateUpdate"
  > {
  readonly defaults: (object: KubeObject) => KubeObject
}

/** A write of an object; `isStatus` if it is through the status subresource. */
interface Written {
  readonly object: KubeObject
  readonly stored: KubeObject | undefined
  readonly isStatus: boolean
}

const fieldsOf = (object: KubeObject): Fields => object as KubeObject & Fields

/** The top-level fields besides those that the server manages: changes to them increase the generation. */
const contentOf = (object: KubeObject, hasStatus: boolean): Fields => {
  const { metadata: _, ...rest } = object
  if (!hasStatus) return rest
  const { status: _status, ...content } = rest as Fields
  return content
}

/**
 * Marks an object that was not defaulted, because its defaults exceed the size of a request: its validation fails.
 * Copies of the object keep the mark.
 */
const notDefaulted = Symbol("notDefaulted")

const markNotDefaulted = <A extends KubeObject>(object: A): A => ({ ...object, [notDefaulted]: true })

/** The failed rules of validated objects, for parts that an update leaves unchanged. */
const failedBefore = new WeakMap<object, ReadonlyArray<string>>()

const strategyOf = (normaliseObject: (object: KubeObject) => KubeObject, hasStatus: boolean): Strategy => ({
  prepareForCreate: (object) => (hasStatus ? withStatus(object, undefined) : object),
  // An object that shares its spec with the stored one may have other fields that have not been checked.
  prepareForUpdate: normaliseObject,
  // Through the status subresource, only the field ownership in the metadata changes.
  prepareForStatusUpdate: (object, stored) => {
    const { managedFields } = object.metadata
    const { managedFields: _, ...metadata } = stored.metadata
    const kept = { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) }
    const made = { ...withStatus(stored, statusOf(object)), metadata: kept }
    return notDefaulted in object ? markNotDefaulted(made) : made
  },
  warnings: finalizerWarnings,
  movesGeneration: (object, stored) => !sameValue(contentOf(object, hasStatus), contentOf(stored, hasStatus))
})

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
 * Returns the defaulting and validation of a version's objects.
 * Upstream: apiextensions-apiserver/pkg/registry/customresource/{strategy,status_strategy,validator}.go.
 */
export const validationOf = (
  resource: Resource,
  schema: JsonSchema,
  { scale, status }: CustomResourceSubresources
): Rules => {
  const { namespaced } = resource
  const hasStatus = status !== undefined
  const hasAnyRule = hasRules(schema)
  const normaliseObject = <A extends KubeObject>(object: A): A => {
    try {
      const made = normalise(fieldsOf(object), schema)
      return made as typeof made & A
    } catch (error) {
      if (error instanceof DefaultsExceeded) return markNotDefaulted(object)
      throw error
    }
  }
  const validateContent = function* (errors: ErrorList, { object, ...rest }: Written): Steps<FieldErrors> {
    if (notDefaulted in object) {
      errors.tooLong("<nil>", MAX_DEFAULTED_BYTES)
      return errors.all
    }
    try {
      return yield* validateParts(errors, { object, ...rest })
    } catch (error) {
      if (!(error instanceof WorkExceeded)) throw error
      // The errors found until then could be as large as the work.
      const only = new ErrorList()
      only.forbidden("<nil>", error.message)
      return only.all
    }
  }
  const validateParts = function* (errors: ErrorList, { isStatus, object, stored }: Written): Steps<FieldErrors> {
    const fields = fieldsOf(object)
    const old = stored && fieldsOf(stored)
    const work = new Work()
    if (isStatus) yield* validateStatus(errors, schema, fields, old, work)
    else yield* validateSchemaInSteps(errors, fields, schema, "", old, work)
    if (scale !== undefined) checkScale(errors, object, scale, isStatus)
    if (work.isPauseDue) yield work.resume()
    if (!isStatus) validateEmbedded(errors, fields, schema, "", work)
    if (work.isPauseDue) yield work.resume()
    const lists = new ErrorList()
    validateListTypes(lists, fields, schema, "", work)
    if (work.isPauseDue) yield work.resume()
    if (lists.size > 0 && (old === undefined || !hasListFaults(old, schema, work))) errors.append(lists.all)
    if (!hasAnyRule) return errors.all
    if (errors.all.some(({ type }) => blockingErrors.has(type))) errors.invalid("<nil>", null, rulesNotChecked)
    else {
      const warned = new ErrorList()
      yield* validateRulesInSteps(errors, fields, schema, "", old, true, work, warned)
      if (warned.size > 0) failedBefore.set(object, warned.all.map(fieldErrorText))
    }
    return errors.all
  }
  const validateInSteps = (
    object: KubeObject,
    stored: KubeObject | undefined,
    subresource?: Subresource
  ): MaybeSteps<FieldErrors> => {
    const errors = new ErrorList()
    checkTypeMeta(errors, object, resource)
    if (errors.size > 0) return errors.all
    if (stored === undefined) validateObjectMeta(errors, object.metadata, { namespaced, name: nameIsDNSSubdomain })
    else validateObjectMetaUpdate(errors, object.metadata, stored.metadata)
    return validateContent(errors, { object, stored, isStatus: subresource === "status" })
  }
  const validateUpdate = (object: KubeObject, stored: KubeObject) => runAllSteps(validateInSteps(object, stored))
  return {
    defaults: normaliseObject,
    strategy: strategyOf(normaliseObject, hasStatus),
    validateInSteps,
    validationWarnings: (object) => failedBefore.get(object) ?? [],
    validate: (object) => runAllSteps(validateInSteps(object, undefined)),
    validateUpdate,
    validateStatusUpdate: (object, stored) => runAllSteps(validateInSteps(object, stored, "status"))
  }
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
