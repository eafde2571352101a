import type { CustomResourceSubresources, KubeObject, Resource } from "@rollcall/api"
import { type FieldErrors, fieldErrorText } from "@rollcall/api/validation"
import { type Fields, sameValue, statusOf, withStatus } from "@rollcall/api/values"
import { wholeFloatsOf, withoutWholeFloats } from "@rollcall/api/wire"
import type { Subresource } from "@rollcall/cluster"
import { unknownFieldsOf, withoutUnknownFields } from "@rollcall/dynamic-admission"
import {
  DefaultsExceeded,
  finalizerWarnings,
  type JsonSchema,
  normalise,
  normaliseApplied,
  objectFaultsInSteps
} from "@rollcall/structural-schema"
import { runAllSteps, type Steps } from "@rollcall/time"
import { appliedNulls, withoutAppliedNulls } from "../../core/objects/appliedNulls.ts"
import type { CustomOptions } from "../../core/registry/defineCustom.ts"
import type { Strategy } from "../../core/registry/KindDefinition.ts"

interface Rules
  extends Pick<
    CustomOptions,
    "validateInSteps" | "validationWarnings" | "strategy" | "validate" | "validateStatusUpdate" | "validateUpdate"
  > {
  readonly defaults: (object: KubeObject) => KubeObject
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

/** Whether the object shares all but its metadata with the stored one, which may lack defaults of this version. */
const sharesContent = (object: KubeObject, stored: KubeObject): boolean => {
  const before = fieldsOf(stored)
  const fields = Object.entries(fieldsOf(object))
  const isShared = ([name, value]: readonly [string, unknown]) => name === "metadata" || value === before[name]
  return fields.length === Object.keys(before).length && fields.every(isShared)
}

const withoutMarks = <A extends KubeObject>(object: A): A => withoutUnknownFields(withoutWholeFloats(object))

const strategyOf = (normaliseObject: (object: KubeObject) => KubeObject, hasStatus: boolean): Strategy => ({
  prepareForCreate: (object) => withoutMarks(hasStatus ? withStatus(object, undefined) : object),
  // An object that shares its spec with the stored one may have other fields that have not been checked.
  prepareForUpdate: (object, stored) => (sharesContent(object, stored) ? object : normaliseObject(object)),
  // Through the status subresource, only the field ownership in the metadata changes.
  prepareForStatusUpdate: (object, stored) => {
    const { managedFields } = object.metadata
    const { managedFields: _, ...metadata } = stored.metadata
    const kept = { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) }
    const made = { ...withStatus(stored, statusOf(object)), metadata: kept }
    return notDefaulted in object ? markNotDefaulted(made) : made
  },
  // Nulls of an apply that are valid, though the schema does not allow them, are dropped where the store is read.
  asReadBack: (object) => (appliedNulls in object ? normaliseObject(withoutAppliedNulls(object)) : object),
  warnings: finalizerWarnings,
  movesGeneration: (object, stored) => {
    const content = contentOf(object, hasStatus)
    if (!sameValue(content, contentOf(stored, hasStatus))) return true
    const isUnread = (name: string) => name !== "metadata" && !(hasStatus && name === "status")
    if ([...unknownFieldsOf(object)].some(isUnread)) return true
    return [...wholeFloatsOf(object)].some((name) => Object.hasOwn(content, name))
  },
  dropOnUpdate: withoutMarks
})

/**
 * Returns the defaulting and validation of a version's objects.
 * Upstream: apiextensions-apiserver/pkg/registry/customresource/{strategy,status_strategy,validator}.go.
 */
export const validationOf = (
  resource: Resource,
  schema: JsonSchema,
  { scale, status }: CustomResourceSubresources
): Rules => {
  const hasStatus = status !== undefined
  const type = { resource, schema, scale }
  const normaliseObject = <A extends KubeObject>(object: A): A => {
    try {
      const made = normalise(fieldsOf(object), schema)
      if (appliedNulls in object) {
        const applied = normaliseApplied(fieldsOf(object), schema)
        return (sameValue(applied, made) ? withoutAppliedNulls(made) : applied) as typeof made & A
      }
      return made as typeof made & A
    } catch (error) {
      if (error instanceof DefaultsExceeded) return markNotDefaulted(object)
      throw error
    }
  }
  const validateInSteps = function* (
    object: KubeObject,
    stored: KubeObject | undefined,
    subresource?: Subresource
  ): Steps<FieldErrors> {
    const isStatus = subresource === "status"
    const { errors, warned } = yield* objectFaultsInSteps(
      { object, stored, isStatus, exceedsDefaults: notDefaulted in object },
      type
    )
    if (warned.length > 0) failedBefore.set(object, warned.map(fieldErrorText))
    return errors
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
