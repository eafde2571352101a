import { isKindName, type KubeObject } from "@rollcall/api"
import { equalInField, type FieldErrors } from "@rollcall/api/validation"
import { generationAfter, sameValue, specOf, statusOf, withStatus } from "@rollcall/api/values"
import { keepsText, markedLike, wireTypeOf, withoutEmpties } from "@rollcall/api/wire"
import type { Subresource } from "@rollcall/cluster"
import { storedFormOf } from "../objects/storedForms.ts"
import { isCustom, type KindDefinition } from "../registry/KindDefinition.ts"
import { type FreshMeta, metaForUpdate } from "./metadata.ts"

/** Returns the stored object with those of the requested changes that a write to this subresource may make. */
export const allowedChanges = (
  definition: KindDefinition,
  subresource: Subresource | undefined,
  given: KubeObject,
  live: KubeObject,
  nowMs: number
): KubeObject => {
  // What is made of the stored object and a part of the caller's holds what that part does.
  const stored = markedLike(given, live)
  if (subresource === "status") return prepareForStatusUpdate(definition, given, stored, nowMs)
  const part = subresource === undefined ? undefined : definition.parts?.[subresource]
  if (part === undefined) return prepareForUpdate(definition, subresource, given, stored)
  const changed = part.prepare(definition.defaults(given), stored)
  return withNextGeneration(
    definition,
    { ...changed, metadata: metaForUpdate(changed.metadata, stored.metadata) },
    stored
  )
}

/** Validates the object by the rules for this subresource. */
export const validationErrorsOf = (
  definition: KindDefinition,
  subresource: Subresource | undefined,
  object: KubeObject,
  stored: KubeObject
): FieldErrors => {
  if (subresource === "status") return definition.validateStatusUpdate(object, stored)
  const part = subresource === undefined ? undefined : definition.parts?.[subresource]
  return part?.validate(object, stored) ?? definition.validateUpdate(object, stored)
}

/**
 * Returns the object as an update of the main resource, or of its scale, stores it: defaulted, prepared, with the stored
 * status if the status is a subresource, and with the next generation.
 */
const prepareForUpdate = (
  definition: KindDefinition,
  subresource: Subresource | undefined,
  given: KubeObject,
  stored: KubeObject
): KubeObject => {
  const { strategy } = definition
  // A Scale can set a field that the schema of its version lacks: it is pruned where the object is read, not before.
  const isUnpruned = subresource === "scale" && isCustom(definition)
  const hasDefaults = isUnpruned || sharesDefaults(given, stored)
  let object: KubeObject = {
    ...(hasDefaults ? given : definition.defaults(given)),
    metadata: metaForUpdate(given.metadata, stored.metadata)
  }
  if (definition.subresources.has("status")) object = withStatus(object, statusOf(stored))
  const prepare = (unprepared: KubeObject) => strategy.prepareForUpdate?.(unprepared, stored) ?? unprepared
  if (isUnpruned) {
    const counted = withNextGeneration(definition, object, stored)
    return definition.lacksDefaults === true ? counted : prepare(counted)
  }
  const next = withNextGeneration(definition, prepare(object), stored)
  return strategy.dropOnUpdate?.(next, stored) ?? next
}

/** Sets the next generation in the object, whose metadata is not shared, if the update moves it. */
const withNextGeneration = (definition: KindDefinition, object: KubeObject, stored: KubeObject): KubeObject => {
  if (definition.tracksGeneration === false || !movesGeneration(definition, object, stored)) return object
  const metadata: FreshMeta = object.metadata
  metadata.generation = generationAfter(stored.metadata.generation)
  return object
}

/**
 * Whether the object shares by reference what may have defaults: its spec, and its labels and annotations, which some
 * kinds have of their templates. Then it needs none, as the stored object has them.
 */
export const sharesDefaults = (given: KubeObject, stored: KubeObject): boolean =>
  specOf(given) !== undefined &&
  specOf(given) === specOf(stored) &&
  given.metadata.labels === stored.metadata.labels &&
  given.metadata.annotations === stored.metadata.annotations

const movesGeneration = (
  { message, resource: { kind }, strategy, tellsAbsentFromEmpty }: KindDefinition,
  given: KubeObject,
  read: KubeObject
): boolean => {
  const [object, stored] = tellsAbsentFromEmpty === true ? [given, storedFormOf(read)] : [withoutEmpties(given), read]
  const [spec, before] = [specOf(object), specOf(stored)]
  // Custom resources have no quantities, and nothing that is kept as text.
  const type = message === undefined && isKindName(kind) ? wireTypeOf(kind) : undefined
  const isEqual = () => type !== undefined && equalInField(type, "spec", spec, before)
  // A quantity in another notation is no change, where absent and empty are one too; but a text in another one is.
  const isSame = sameValue(spec, before)
    ? spec === before || type === undefined || !keepsText(type) || isEqual()
    : tellsAbsentFromEmpty !== true && isEqual()
  return !isSame || strategy.movesGeneration?.(object, stored) === true
}

/** Returns the stored object with the requested status and metadata, which are all that the status subresource changes. */
const prepareForStatusUpdate = (
  definition: KindDefinition,
  given: KubeObject,
  stored: KubeObject,
  nowMs: number
): KubeObject => {
  const { strategy } = definition
  const metadata = metaForUpdate(given.metadata, stored.metadata)
  // The rest of the given object decides how its status is defaulted, as where it is decoded.
  const object = withStatus({ ...stored, metadata }, statusOf(definition.defaults(given)))
  return strategy.prepareForStatusUpdate?.(object, stored, nowMs) ?? object
}
