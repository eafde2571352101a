import type { KubeObject, Resource } from "@rollcall/api"
import {
  ErrorList,
  type FieldErrors,
  nameIsDNSSubdomain,
  validateObjectMeta,
  validateObjectMetaUpdate
} from "@rollcall/api/validation"
import { statusOf, withStatus } from "../pipeline/parts.ts"
import { sameValue } from "../pipeline/sameValue.ts"
import type { CustomOptions, Strategy } from "../registry/KindDefinition.ts"
import type { Fields, JsonSchema } from "./JsonSchema.ts"
import { validateListTypes } from "./listTypes.ts"
import { normalise } from "./normalise.ts"
import { validateEmbedded } from "./validateEmbedded.ts"
import { hasRules, validateRules } from "./validateRules.ts"
import { validateSchema } from "./validateSchema.ts"

type Rules = Pick<CustomOptions, "defaults" | "strategy" | "validate" | "validateStatusUpdate" | "validateUpdate">

const fieldsOf = (object: KubeObject): Fields => object as KubeObject & Fields

/** The top of an object beside what the server keeps: what a change of is another generation. */
const contentOf = (object: KubeObject, hasStatus: boolean): Fields => {
  const { metadata: _, ...rest } = object
  if (!hasStatus) return rest
  const { status: _status, ...content } = rest as Fields
  return content
}

const strategyOf = (normal: (object: KubeObject) => KubeObject, hasStatus: boolean): Strategy => ({
  prepareForCreate: (object) => (hasStatus ? withStatus(object, undefined) : object),
  // What shares its spec with what is stored may have come here with other fields that nobody has looked at.
  prepareForUpdate: normal,
  // Nothing of the metadata is changed by way of the status, but who owns what.
  prepareForStatusUpdate: (object, stored) => {
    const { managedFields } = object.metadata
    const { managedFields: _, ...metadata } = stored.metadata
    const kept = { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) }
    return { ...withStatus(stored, statusOf(object)), metadata: kept }
  },
  movesGeneration: (object, stored) => !sameValue(contentOf(object, hasStatus), contentOf(stored, hasStatus))
})

/** Faults that keep rules from being asked. Upstream: customresource/strategy.go, hasBlockingErr. */
const blocking: ReadonlySet<string> = new Set([
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid"
])

const unchecked =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

/**
 * How objects of a custom resource are completed and judged.
 * Upstream: apiextensions-apiserver/pkg/registry/customresource/{strategy,status_strategy,validator}.go.
 */
export const rulesOf = ({ namespaced }: Resource, schema: JsonSchema, hasStatus: boolean): Rules => {
  const ruled = hasRules(schema)
  const normal = <A extends KubeObject>(object: A): A => {
    const made = normalise(fieldsOf(object), schema)
    return made as typeof made & A
  }
  const content = (errors: ErrorList, object: KubeObject, stored?: KubeObject): FieldErrors => {
    const fields = fieldsOf(object)
    const old = stored && fieldsOf(stored)
    validateSchema(errors, fields, schema, "", old)
    validateEmbedded(errors, fields, schema, "")
    const lists = new ErrorList()
    validateListTypes(lists, fields, schema, "")
    if (lists.size > 0 && (old === undefined || !hadListFaults(old, schema))) errors.append(lists.all)
    if (!ruled) return errors.all
    if (errors.all.some(({ type }) => blocking.has(type))) errors.invalid("<nil>", null, unchecked)
    else validateRules(errors, fields, schema, "", old)
    return errors.all
  }
  const validateUpdate = (object: KubeObject, stored: KubeObject): FieldErrors => {
    const errors = new ErrorList()
    validateObjectMetaUpdate(errors, object.metadata, stored.metadata)
    return content(errors, object, stored)
  }
  return {
    defaults: normal,
    strategy: strategyOf(normal, hasStatus),
    validate: (object) => {
      const errors = new ErrorList()
      validateObjectMeta(errors, object.metadata, { namespaced, name: nameIsDNSSubdomain })
      return content(errors, object)
    },
    validateUpdate,
    validateStatusUpdate: validateUpdate
  }
}

const hadListFaults = (old: Fields, schema: JsonSchema): boolean => {
  const errors = new ErrorList()
  validateListTypes(errors, old, schema, "")
  return errors.size > 0
}
