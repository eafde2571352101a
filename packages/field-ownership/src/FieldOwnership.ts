import { formatTime, type KubeObject, type Resource, type Status, unknownError } from "@rollcall/api"
import { isFields, sameValue } from "@rollcall/api/values"
import {
  addAlwaysWritten,
  decodeValue,
  type MessageType,
  unstructuredError,
  wireTypeNamed,
  wireTypeOfGvk,
  withCutIntegers,
  withoutEmpties
} from "@rollcall/api/wire"
import type { Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { applyConfigurationInSteps, kindTitle, titleOf } from "./applyConfiguration.ts"
import { CreatedShapes } from "./CreatedShapes.ts"
import { checkTyped } from "./checkTyped.ts"
import { type Manager, namesNoVersion, noOwners, type Owners, readOwners, writeOwners } from "./Managers.ts"
import { ownersAfterUpdateInSteps, ownersOfNewInSteps } from "./ownUpdate.ts"
import { resetFields } from "./resetFields.ts"
import { structOf } from "./schema.ts"
import { asGoWrites, withSortedTexts } from "./texts.ts"
import { Untypable } from "./Untypable.ts"
import { Unconvertible } from "./versions.ts"
import type { VersionConversion, WriteContext } from "./WriteContext.ts"

/** A kind, as far as field ownership depends on it. */
export interface ManagedKind {
  readonly apiVersion: string
  readonly resource: Pick<Resource, "group" | "kind" | "version">
  readonly subresources: ReadonlySet<string>
  /** The type of its objects, where the API's tables have none: custom resources. */
  readonly message?: MessageType
  /** Why Go cannot convert a decoded object to its internal form; undefined if it can. */
  conversionFault?(object: KubeObject): string | undefined
  /** How its objects get into other versions, if these differ in more than their name. */
  readonly versions?: VersionConversion | undefined
  /** The same, if that takes a call. */
  readonly view?: { readonly called?: VersionConversion | undefined } | undefined
}

/** A write, as far as field ownership depends on it: its kind, its subresource and its field manager. */
export interface ManagedWrite {
  readonly definition: ManagedKind
  /** One of a stored object, or one that is answered only: `token`. */
  readonly subresource: string | undefined
  readonly manager: string
  /** Why Go cannot convert an object that an apply changed. */
  readonly unconvertible?: string
}

/**
 * Maintains metadata.managedFields: which manager owns which field of an object. Upstream:
 * apimachinery/pkg/util/managedfields/internal/fieldmanager.go.
 */
export class FieldOwnership {
  private readonly now: () => number
  private readonly types = new WeakMap<ManagedKind, MessageType>()
  private readonly empties = new WeakMap<MessageType, object>()
  private readonly shapes = new CreatedShapes()

  constructor(now: () => number) {
    this.now = now
  }

  /** Returns the type of a kind's objects. A kind without a wire type accepts any field. */
  typeOf(definition: ManagedKind): MessageType {
    const known = this.types.get(definition)
    if (known !== undefined) return known
    const { group, kind, version } = definition.resource
    const type = definition.message ?? wireTypeOfGvk({ group, version, kind }) ?? anyObject(definition)
    this.types.set(definition, type)
    return type
  }

  /**
   * Returns the new, defaulted object with managedFields: the creator owns all its fields, besides the owners that the
   * caller sent.
   */
  *createdInSteps(write: ManagedWrite, given: KubeObject): Steps<KubeObject> {
    const claimed = given.metadata.managedFields
    const owners = isReset(claimed) ? noOwners : (readOwners(claimed) ?? noOwners)
    if (owners.size > 0) yield
    const object = withEntries(given, undefined)
    if (namesNoVersion(owners) || !this.areTyped(write.definition, object)) return object
    const context = this.contextOf(write, "Update")
    const written = withoutEmpties(object)
    const isOwnedByWriter = owners.size === 0 && write.subresource === undefined && context.versions === undefined
    const known = isOwnedByWriter ? this.shapes.entriesOf(write.definition, written, context) : undefined
    if (known !== undefined) return withEntries(object, known)
    const next = yield* typedInSteps(ownersOfNewInSteps(written, owners, context))
    const entries = next && writeOwners(next)
    if (isOwnedByWriter && next && entries) this.shapes.remember(write.definition, written, next, entries)
    return withEntries(object, entries)
  }

  /** Whether a write that changes nothing keeps the managedFields of the object: an object of another type loses them. */
  keepsOwners(definition: ManagedKind, object: KubeObject): boolean {
    const { managedFields } = object.metadata
    if (managedFields === undefined) return true
    return hasEntryOfEach(readOwners(managedFields), managedFields) && this.areTyped(definition, object)
  }

  /** Returns an object that has only the fields which Go always writes, at their zero values. These have no owner. */
  private emptyOf(definition: ManagedKind): unknown {
    const type = this.typeOf(definition)
    const known = this.empties.get(type)
    if (known !== undefined) return known
    const empty = addAlwaysWritten(type, {})
    this.empties.set(type, empty as object)
    return empty
  }

  /**
   * Returns the updated, defaulted object with managedFields: the writer owns the fields that it changes. An object
   * without owners stays without.
   */
  *updatedInSteps(write: ManagedWrite, given: KubeObject, stored: KubeObject): Steps<KubeObject> {
    const before = stored.metadata.managedFields
    const owners = ownersOf(write, given, stored)
    const object = withEntries(given, before)
    const isUnowned = owners.size === 0 || namesNoVersion(owners) || !this.areTyped(write.definition, object, stored)
    if (isUnowned) return withEntries(object, undefined)
    const next = yield* typedInSteps(ownersAfterUpdateInSteps(stored, object, owners, this.contextOf(write, "Update")))
    const isKept = next === readOwners(before) && hasEntryOfEach(next, before)
    return isKept ? object : withEntries(object, next && writeOwners(next))
  }

  /**
   * Applies a configuration to the live object, and returns the result with managedFields, or the conflicts. For an
   * object that does not exist yet, `live` has only kind and apiVersion.
   */
  *appliedInSteps(
    write: ManagedWrite,
    live: KubeObject,
    config: KubeObject,
    force: boolean
  ): Steps<Result.Result<KubeObject, Status>> {
    const owners = readOwners(live.metadata.managedFields) ?? noOwners
    const context = this.contextOf(write, "Apply")
    const applying = applyConfigurationInSteps(live, config, owners, context, force)
    const onUntypable = (error: Untypable) =>
      Result.fail(error instanceof Unconvertible ? unknownError(error.message) : untypable(live, context))
    const applied = yield* typedInSteps(applying, onUntypable)
    if (Result.isFailure(applied)) return Result.fail(applied.failure)
    const { object: merged, owners: after } = applied.success
    const decoded = merged === live ? Result.succeed(live) : this.decodedAsGo(write, config, merged)
    return Result.map(decoded, (object) => withOwners(object, live, after, owners))
  }

  /** Returns the merged object as Go would decode it, without null fields; fails if it cannot be decoded. */
  private decodedAsGo(
    { definition, unconvertible }: ManagedWrite,
    config: KubeObject,
    merged: KubeObject
  ): Result.Result<KubeObject, Status> {
    const refuse = (why: string) =>
      Result.fail(unknownError(`failed to convert new object (${titleOf(config)}) to proper version: ${why}`))
    if (unconvertible !== undefined) return refuse(unconvertible)
    const type = this.typeOf(definition)
    const given = withSortedTexts(type, merged)
    const options = { structural: definition.message !== undefined, isConverted: true }
    const decoded = decodeValue(type, given, options)
    if (Result.isSuccess(decoded)) return internalised(definition, config, asGoWrites(type, decoded.success.value))
    const fault = unstructuredError(type, given)
    const converted =
      fault === undefined ? decodeValue(type, withCutIntegers(type, given), { isConverted: true }) : decoded
    if (Result.isSuccess(converted)) return internalised(definition, config, asGoWrites(type, converted.success.value))
    const why = fault ?? converted.failure
    return refuse(`unable to convert unstructured object to ${kindTitle(config)}: ${why}`)
  }

  /**
   * Whether custom resources are of their type: a status that the write does not change may be of another, and all of an
   * object that is older than its schema.
   */
  private areTyped({ message }: ManagedKind, ...objects: ReadonlyArray<KubeObject>): boolean {
    if (message === undefined) return true
    return objects.every((object) => checkTyped(object, structOf(message), "allowed") === undefined)
  }

  private contextOf({ definition, manager, subresource }: ManagedWrite, operation: Manager["operation"]): WriteContext {
    return {
      schema: structOf(this.typeOf(definition)),
      empty: this.emptyOf(definition),
      writer: { manager, operation, apiVersion: definition.apiVersion, subresource },
      reset: resetFields(definition, subresource),
      // Writes through the scale subresource are recorded without a time. Upstream: managedfields/scalehandler.go.
      time: subresource === "scale" ? undefined : formatTime(this.now()),
      versions: definition.versions ?? definition.view?.called,
      forgets: definition.message === undefined
    }
  }
}

/** Returns the object, or why Go cannot convert it to its internal form. */
const internalised = (
  { conversionFault }: ManagedKind,
  config: KubeObject,
  object: KubeObject
): Result.Result<KubeObject, Status> => {
  const fault = conversionFault?.(object)
  if (fault === undefined) return Result.succeed(object)
  return Result.fail(unknownError(`failed to convert to unversioned (${titleOf(config)}): ${fault}`))
}

/** Returns the type of a kind without a schema: any fields, besides the metadata. */
const anyObject = ({ resource: { group, kind, version } }: ManagedKind): MessageType => {
  const metadata = wireTypeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
  const fields = new Map()
  if (metadata !== undefined) {
    const type = { type: "message", message: metadata } as const
    fields.set("metadata", { name: "metadata", number: 0, type, required: false, omitEmpty: true, pointer: false })
  }
  const gvk = { group, version, kind }
  const fullName = `${group}.${version}.${kind}`
  return { fullName, name: kind, goPackage: version, fields, atomic: false, gvk, preserveUnknown: true }
}

/** Returns the refusal to apply to an object that is not of its type. */
const untypable = (live: KubeObject, { schema }: WriteContext): Status =>
  unknownError(`failed to create typed live object (${titleOf(live)}): ${checkTyped(live, schema, "allowed")}`)

/**
 * Returns the result of the steps, or that of `onUntypable`, by default undefined, if the object has a list whose elements cannot be told apart. Such an
 * object loses its managedFields in an update. Upstream: FieldManager.UpdateNoErrors.
 */
const typedInSteps = function* <A, B = undefined>(
  steps: Steps<A>,
  onUntypable?: (error: Untypable) => B
): Steps<A | B> {
  try {
    return yield* steps
  } catch (error) {
    if (error instanceof Untypable) return onUntypable?.(error) as B
    throw error
  }
}

/** Whether managedFields is `[]` or `[{}]`, which removes all ownership. */
const isReset = (entries: unknown): boolean =>
  Array.isArray(entries) &&
  (entries.length === 0 || (entries.length === 1 && isFields(entries[0]) && Object.keys(entries[0]).length === 0))

/**
 * Returns the owners before the update is recorded: those that the caller sent, if they are valid, otherwise the stored
 * ones. Writes to subresources cannot change the owners, so there the stored ones count.
 */
const ownersOf = ({ subresource }: ManagedWrite, given: KubeObject, stored: KubeObject): Owners => {
  const before = stored.metadata.managedFields
  const claimed = given.metadata.managedFields
  const live = () => readOwners(before) ?? noOwners
  if (subresource !== undefined || claimed === undefined || claimed === before) return live()
  if (isReset(claimed)) return noOwners
  // Most callers send the owners that they read: equal ones need no parsing.
  if (sameValue(claimed, before)) return live()
  const owners = readOwners(claimed)
  return owners === undefined || owners.size === 0 ? live() : owners
}

type Entries = KubeObject["metadata"]["managedFields"]

/** Whether managedFields has one entry of each owner: of several, which a write of a scale makes, only the last is read. */
const hasEntryOfEach = (owners: Owners | undefined, entries: Entries): boolean =>
  (owners?.size ?? 0) === (entries?.length ?? 0)

/** Returns the object with these managedFields, or without any if they are undefined. */
const withEntries = (object: KubeObject, entries: Entries | undefined): KubeObject => {
  const { managedFields, ...metadata } = object.metadata
  if (managedFields === entries) return object
  return { ...object, metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries } }
}

/** Returns the applied object with its owners; the live object itself if neither the object nor the owners changed. */
const withOwners = (object: KubeObject, live: KubeObject, next: Owners, before: Owners): KubeObject => {
  const entries = writeOwners(next)
  const isKept = next === before && hasEntryOfEach(next, live.metadata.managedFields)
  const same = isKept || sameValue(entries, live.metadata.managedFields)
  return withEntries(object, same ? live.metadata.managedFields : entries)
}

/**
 * Whether the times in managedFields are all that differs. Such a write is not stored. Upstream:
 * apiserver/pkg/endpoints/handlers/fieldmanager/equality.go.
 */
export const sameButTimes = (object: KubeObject, stored: KubeObject): boolean => {
  const now = object.metadata.managedFields
  const before = stored.metadata.managedFields
  if (now === before || now === undefined || before === undefined || now.length !== before.length) return false
  // Comparing the first entries before all others finds most differences cheaply.
  const { time: _first, ...first } = now[0] ?? {}
  const { time: _second, ...second } = before[0] ?? {}
  if (!sameValue(first, second)) return false
  const timeless = (entries: NonNullable<Entries>) => entries.map(({ time: _, ...entry }) => entry)
  return sameValue(timeless(now), timeless(before)) && sameValue(withEntries(object, before), stored)
}
