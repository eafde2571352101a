import type { KubeObject } from "@rollcall/api"
import { isSteps, type MaybeSteps, type Steps, waitFor } from "@rollcall/time"
import * as Result from "effect/Result"
import { checkTyped } from "./checkTyped.ts"
import { type Comparison, compareInSteps } from "./compare.ts"
import { extractInSteps } from "./extract.ts"
import { difference, type FieldSet, intersection, recursiveDifference, union, unionAll } from "./fieldSet.ts"
import { type OwnedFields, type Owners, withFields } from "./Managers.ts"
import { pruneInSteps, withNamedMembers } from "./prune.ts"
import { removeItems } from "./removeItems.ts"
import { type StructSchema, structOf } from "./schema.ts"
import { Untypable } from "./Untypable.ts"
import type { VersionConversion, WriteContext } from "./WriteContext.ts"

/** Thrown when an object cannot be converted to the version of one of its owners. */
export class Unconvertible extends Untypable {}

/** The fields that a write changes and removes, in the version of some owners. */
export interface VersionChanges {
  readonly changed: FieldSet
  readonly removed: FieldSet
}

interface InVersion {
  readonly object: KubeObject
  readonly schema: StructSchema
}

/** An object has no metadata once an applier omits the only field of it that anyone owned. */
const withoutOwners = (object: KubeObject): KubeObject => {
  if ((object.metadata as object | undefined) === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

const settled = function* <A>(work: MaybeSteps<A>): Steps<A> {
  return isSteps(work) ? yield* work : work
}

/**
 * Converts an object to a version of its kind; `what` names it in the error. The stored object is named nowhere: upstream
 * converts it first to reconcile its owners with the schemas (merge/update.go, reconcileManagedFieldsWithSchemaChanges).
 */
const convertInSteps = function* (
  { toVersion, typeOf }: VersionConversion,
  object: KubeObject,
  apiVersion: string,
  what?: string
): Steps<InVersion> {
  const type = typeOf(apiVersion)
  const why = (text: string) => new Unconvertible(what === undefined ? text : `failed to convert ${what}: ${text}`)
  if (type === undefined) throw why(`request to convert CR to an invalid group/version: ${apiVersion}`)
  const converted = yield* waitFor<Result.Result<KubeObject, string>>((done) =>
    toVersion(withoutOwners(object), apiVersion, done)
  )
  if (Result.isFailure(converted)) throw why(converted.failure)
  const schema = structOf(type)
  const fault = checkTyped(converted.success, schema)
  if (fault !== undefined) throw why(fault)
  return { object: converted.success, schema }
}

const isForgotten = (apiVersion: string, { forgets, versions, writer }: WriteContext): boolean =>
  forgets && apiVersion !== writer.apiVersion && versions?.typeOf(apiVersion) === undefined

/**
 * Returns the owners without those at versions that the server does not know; the writer, with this identity, stays.
 * Upstream: merge/update.go, update, IsMissingVersionError.
 */
export const knownOwners = (owners: Owners, identity: string, context: WriteContext): Owners => {
  let known: Map<string, OwnedFields> | undefined
  for (const [other, { apiVersion }] of owners) {
    if (apiVersion === context.writer.apiVersion || other === identity || !isForgotten(apiVersion, context)) continue
    known ??= new Map(owners)
    known.delete(other)
  }
  return known ?? owners
}

/**
 * Returns the changes of a write for each version that an owner other than the writer has; versions whose objects are
 * converted without a call count as the writer's. Upstream: sigs.k8s.io/structured-merge-diff, merge/update.go, update.
 */
export const changesByVersionInSteps = function* (
  before: unknown,
  after: unknown,
  owners: Owners,
  identity: string,
  { reset, versions, writer }: WriteContext
): Steps<ReadonlyMap<string, VersionChanges>> {
  const byVersion = new Map<string, VersionChanges>()
  if (versions === undefined) return byVersion
  for (const [other, { apiVersion }] of owners) {
    if (other === identity || apiVersion === writer.apiVersion || byVersion.has(apiVersion)) continue
    const old = yield* convertInSteps(versions, before as KubeObject, apiVersion)
    const made = yield* convertInSteps(versions, after as KubeObject, apiVersion, "new object")
    const compared: Comparison = yield* settled(compareInSteps(old.object, made.object, old.schema, reset))
    byVersion.set(apiVersion, {
      changed: recursiveDifference(union(compared.modified, compared.added), reset),
      removed: recursiveDifference(compared.removed, reset)
    })
  }
  return byVersion
}

/** Returns the owners without the fields that a write changes or removes, each in its version; `except` keeps its own. */
export const withoutChanges = (
  owners: Owners,
  byVersion: ReadonlyMap<string, VersionChanges>,
  own: VersionChanges,
  except: string | undefined
): Owners => {
  const result = new Map<string, OwnedFields>()
  for (const [identity, owned] of owners) {
    const { changed, removed } = byVersion.get(owned.apiVersion) ?? own
    const rest = identity === except ? owned : withFields(owned, difference(owned.fields, union(changed, removed)))
    if (rest !== undefined) result.set(identity, rest)
  }
  return result
}

const namedFields = function* ({ object, schema }: InVersion): Steps<FieldSet> {
  return withNamedMembers(yield* settled(extractInSteps(object, schema)), schema)
}

/** A merged object and the same one pruned, both in one version. */
interface Pruning {
  readonly merged: KubeObject
  readonly pruned: KubeObject
}

/** Adds to the pruned object what owners of a version own of the merged one. Upstream: merge/update.go, addBackOwnedItemsForVersion. */
const withOwned = function* (
  versions: VersionConversion,
  { merged, pruned }: Pruning,
  version: string,
  owners: ReadonlyArray<OwnedFields>
): Steps<Pruning> {
  const whole = yield* convertInSteps(versions, merged, version, `merged object at version ${version}`)
  const left = yield* convertInSteps(versions, pruned, version, `pruned object at version ${version}`)
  const owned = withNamedMembers(unionAll(owners.map(({ fields }) => fields)), whole.schema)
  const kept = union(yield* namedFields(left), owned)
  const gone = difference(yield* namedFields(whole), kept)
  return { merged: whole.object, pruned: removeItems(whole.object, gone, whole.schema) as KubeObject }
}

/**
 * Does the work of `pruneInSteps` for an applier that applied another version last time: prunes the object in that
 * version, and keeps what the owners of each version own. What a conversion loses is gone from the result, too. Upstream:
 * merge/update.go, prune.
 */
export const pruneOldVersionInSteps = function* (
  live: KubeObject,
  merged: KubeObject,
  owners: Owners,
  last: OwnedFields,
  context: WriteContext
): Steps<unknown> {
  const { schema, versions, writer } = context
  if (isForgotten(last.apiVersion, context)) return merged
  if (versions === undefined) return yield* pruneInSteps(merged, owners, last.fields, schema)
  yield* convertInSteps(versions, live, last.apiVersion)
  const old = yield* convertInSteps(versions, merged, last.apiVersion, "merged object to last applied version")
  const lastNamed = withNamedMembers(last.fields, old.schema)
  let pruning: Pruning = { merged: old.object, pruned: removeItems(old.object, lastNamed, old.schema) as KubeObject }
  const all = [...owners.values()]
  for (const version of new Set([last.apiVersion, ...all.map(({ apiVersion }) => apiVersion)])) {
    if (isForgotten(version, context)) continue
    const ofVersion = all.filter(({ apiVersion }) => apiVersion === version)
    pruning = yield* withOwned(versions, pruning, version, ofVersion)
  }
  const left = yield* convertInSteps(versions, pruning.pruned, last.apiVersion, "pruned object")
  const gone = difference(yield* namedFields(old), yield* namedFields(left))
  // Only fields that the applier owned may be removed.
  const pruned = removeItems(old.object, intersection(gone, lastNamed), old.schema) as KubeObject
  const { object } = yield* convertInSteps(versions, pruned, writer.apiVersion, "pruned object")
  const { managedFields } = merged.metadata
  // They are no part of what is applied, and a conversion may leave them out.
  return managedFields === undefined ? object : { ...object, metadata: { ...object.metadata, managedFields } }
}
