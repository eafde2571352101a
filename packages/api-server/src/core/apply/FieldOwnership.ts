import { formatTime, type KubeObject, type Status } from "@rollcall/api"
import { decodeValue, type MessageType, wireTypeNamed, wireTypeOfGvk } from "@rollcall/api/wire"
import type { Subresource } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { isFields, sameValue } from "../objects/values.ts"
import type { KindDefinition } from "../registry/KindDefinition.ts"
import type { Steps } from "../turns/Steps.ts"
import { applyConfiguration } from "./applyConfiguration.ts"
import { emptySet, type FieldSet } from "./fieldSet.ts"
import { type Manager, noOwners, type Owners, readOwners, writeOwners } from "./Managers.ts"
import { ownUpdate, type Writing } from "./ownUpdate.ts"
import { structOf } from "./schema.ts"

/** Which write, of what. */
export interface Written {
  readonly definition: KindDefinition
  readonly subresource: Subresource | undefined
  readonly manager: string
}

/**
 * Keeps metadata.managedFields: who owns which field of an object.
 * Upstream: apimachinery/pkg/util/managedfields/internal/fieldmanager.go.
 */
export class FieldOwnership {
  private readonly now: () => number
  private readonly types = new WeakMap<KindDefinition, MessageType>()

  constructor(now: () => number) {
    this.now = now
  }

  /** What an object of the kind may say. A kind without a type of its own may say anything. */
  typeOf(definition: KindDefinition): MessageType {
    const known = this.types.get(definition)
    if (known !== undefined) return known
    const { group, kind, version } = definition.resource
    const type = definition.message ?? wireTypeOfGvk({ group, version, kind }) ?? anyObject(definition)
    this.types.set(definition, type)
    return type
  }

  /** The object, defaulted, with its creator as owner of all that it says. */
  *created(write: Written, given: KubeObject): Steps<KubeObject> {
    const claimed = given.metadata.managedFields
    const owners = isReset(claimed) ? noOwners : (readOwners(claimed) ?? noOwners)
    if (owners.size > 0) yield
    const object = withEntries(given, undefined)
    return withEntries(object, writeOwners(yield* ownUpdate({}, object, owners, this.writing(write, "Update"))))
  }

  /** The object, defaulted, with its writer as owner of all that is new about it. What nobody owned stays nobody's. */
  *updated(write: Written, given: KubeObject, stored: KubeObject): Steps<KubeObject> {
    const before = stored.metadata.managedFields
    const owners = ownersOf(write, given, stored)
    const object = withEntries(given, before)
    if (owners.size === 0) return withEntries(object, undefined)
    const next = yield* ownUpdate(stored, object, owners, this.writing(write, "Update"))
    return next === readOwners(before) ? object : withEntries(object, writeOwners(next))
  }

  /** The live object with a configuration laid over it; `live` has neither uid nor fields where there is none yet. */
  *applied(
    write: Written,
    live: KubeObject,
    config: KubeObject,
    force: boolean
  ): Steps<Result.Result<KubeObject, Status>> {
    const owners = readOwners(live.metadata.managedFields) ?? noOwners
    const applied = yield* applyConfiguration(live, config, owners, this.writing(write, "Apply"), force)
    if (Result.isFailure(applied)) return Result.fail(applied.failure)
    const made = withOwners(applied.success.object, live, applied.success.owners, owners)
    return Result.succeed(this.cleaned(write, made))
  }

  /** As Go would have the object: what is null is absent. */
  private cleaned({ definition }: Written, object: KubeObject): KubeObject {
    const decoded = decodeValue(this.typeOf(definition), object, { structural: definition.message !== undefined })
    return Result.isSuccess(decoded) && isFields(decoded.success.value)
      ? (decoded.success.value as typeof decoded.success.value & KubeObject)
      : object
  }

  private writing({ definition, manager, subresource }: Written, operation: Manager["operation"]): Writing {
    return {
      schema: structOf(this.typeOf(definition)),
      writer: { manager, operation, apiVersion: definition.apiVersion, subresource },
      reset: resetFields(definition, subresource),
      // Writes by way of the Scale are noted without a time. Upstream: managedfields/scalehandler.go.
      time: subresource === "scale" ? undefined : formatTime(this.now())
    }
  }
}

const anyObject = ({ resource: { group, kind, version } }: KindDefinition): MessageType => {
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

/** `[]` and `[{}]`: forget who owns what. */
const isReset = (entries: unknown): boolean =>
  Array.isArray(entries) &&
  (entries.length === 0 || (entries.length === 1 && isFields(entries[0]) && Object.keys(entries[0]).length === 0))

/** What the caller says of ownership, if it is readable; else, and always on subresources, what is stored. */
const ownersOf = ({ subresource }: Written, given: KubeObject, stored: KubeObject): Owners => {
  const before = stored.metadata.managedFields
  const claimed = given.metadata.managedFields
  const live = () => readOwners(before) ?? noOwners
  if (subresource !== undefined || claimed === undefined || claimed === before) return live()
  if (isReset(claimed)) return noOwners
  // Most callers hand back what they read.
  if (sameValue(claimed, before)) return live()
  const owners = readOwners(claimed)
  return owners === undefined || owners.size === 0 ? live() : owners
}

type Entries = KubeObject["metadata"]["managedFields"]

const withEntries = (object: KubeObject, entries: Entries | undefined): KubeObject => {
  const { managedFields, ...metadata } = object.metadata
  if (managedFields === entries) return object
  return { ...object, metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries } }
}

/** The applied object with its owners; the very live object where neither changed. */
const withOwners = (object: KubeObject, live: KubeObject, next: Owners, before: Owners): KubeObject => {
  const entries = writeOwners(next)
  const same = next === before || sameValue(entries, live.metadata.managedFields)
  return withEntries(object, same ? live.metadata.managedFields : entries)
}

/** Whether a write changed nothing but when its writer was last heard. */
export const sameButTimes = (object: KubeObject, stored: KubeObject): boolean => {
  const now = object.metadata.managedFields
  const before = stored.metadata.managedFields
  if (now === before || now === undefined || before === undefined || now.length !== before.length) return false
  const { time: _first, ...first } = now[0] ?? {}
  const { time: _second, ...second } = before[0] ?? {}
  if (!sameValue(first, second)) return false
  const timeless = (entries: NonNullable<Entries>) => entries.map(({ time: _, ...entry }) => entry)
  return sameValue(timeless(now), timeless(before)) && sameValue(withEntries(object, before), stored)
}

const status: FieldSet = { "f:status": {} }
const spec: FieldSet = { "f:spec": {} }

/** What the status subresource of a kind puts back beside the spec. Upstream: GetResetFields of the strategies in pkg/registry. */
const beside: Readonly<Record<string, FieldSet>> = {
  Pod: { "f:metadata": { "f:deletionTimestamp": {}, "f:ownerReferences": {} }, ...spec },
  Deployment: { "f:metadata": { "f:labels": {} }, ...spec },
  VolumeAttachment: { "f:metadata": {}, ...spec },
  CustomResourceDefinition: { "f:metadata": {}, ...spec }
}

/** Fields that a write to this (sub)resource cannot change, so that its writer never owns them. */
const resetFields = (definition: KindDefinition, subresource: Subresource | undefined): FieldSet => {
  if (subresource === "status") return beside[definition.resource.kind] ?? spec
  return subresource === undefined && definition.subresources.has("status") ? status : emptySet
}
