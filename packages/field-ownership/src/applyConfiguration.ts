import { badRequest, type KubeObject, type Status, unknownError } from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import { isSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { type Conflict, conflictStatus, withoutAllowed } from "./Conflict.ts"
import { checkTyped } from "./checkTyped.ts"
import { compareWrittenInSteps, isSame } from "./compare.ts"
import { extractInSteps } from "./extract.ts"
import { intersection, isEmpty, recursiveDifference, union } from "./fieldSet.ts"
import { allowedByLastAppliedInSteps, withLastApplied } from "./lastApplied.ts"
import { identityOf, type OwnedFields, type Owners, withoutFields } from "./Managers.ts"
import { merge } from "./merge.ts"
import { ownersBeforeApplyInSteps, withoutNeverOwned } from "./ownUpdate.ts"
import { pruneInSteps } from "./prune.ts"
import { goForm } from "./schema.ts"
import { changesByVersionInSteps, knownOwners, pruneOldVersionInSteps, withoutChanges } from "./versions.ts"
import type { WriteContext } from "./WriteContext.ts"

/** The result of an apply. */
export interface Applied {
  /** The merged object; the live object itself if the configuration changes nothing. */
  readonly object: KubeObject
  readonly owners: Owners
}

/** The field manager of `kubectl apply --server-side`, which may follow a client-side apply. */
const kubectl = "kubectl"

/**
 * Applies a configuration to the live object. The applier owns the fields of the configuration; fields that it applied
 * before and now omits are removed unless another manager owns them; a field that another manager owns with another
 * value is a conflict or, with `force`, becomes the applier's. An object without owners is first given to the manager
 * "before-first-apply".
 * Upstream: apimachinery/pkg/util/managedfields/internal/{fieldmanager,structuredmerge,skipnonapplied}.go;
 * merge/update.go, Apply.
 */
export const applyConfigurationInSteps = function* (
  live: KubeObject,
  config: KubeObject,
  owners: Owners,
  context: WriteContext,
  force: boolean
): Steps<Result.Result<Applied, Status>> {
  const { schema, writer } = context
  if (Array.isArray(config.metadata.managedFields)) {
    return Result.fail(badRequest("metadata.managedFields must be nil"))
  }
  const liveError = owners.size === 0 && live.metadata.uid ? checkTyped(live, schema, "allowed") : undefined
  if (liveError !== undefined) {
    const why = `failed to convert new object (${titleOf(live)}) to smd typed: ${liveError}`
    return Result.fail(unknownError(`failed to create manager for existing fields: ${why}`))
  }
  const typeError = checkTyped(config, schema)
  if (typeError !== undefined) {
    return Result.fail(unknownError(`failed to create typed patch object (${titleOf(config)}): ${typeError}`))
  }
  // The lists of other kinds are checked where they are compared.
  const isCustom = schema.message.goPackage === "unstructured"
  const liveFault = isCustom && owners.size > 0 ? checkTyped(live, schema, "allowed") : undefined
  if (liveFault !== undefined)
    return Result.fail(unknownError(`failed to create typed live object (${titleOf(live)}): ${liveFault}`))
  const owned =
    owners.size === 0
      ? yield* ownersBeforeApplyInSteps(live, context)
      : knownOwners(owners, identityOf(writer), context)
  const firstTry = yield* tryApplyInSteps(live, config, owned, context, force)
  if (Result.isSuccess(firstTry)) return Result.succeed(withAnnotation(firstTry.success, config, writer.manager))

  const allowed = writer.manager === kubectl ? yield* allowedByLastAppliedInSteps(live, schema) : undefined
  const conflicts = allowed === undefined ? firstTry.failure : withoutAllowed(firstTry.failure, allowed)
  if (conflicts.length > 0) return Result.fail(conflictStatus(conflicts))
  const forced = yield* tryApplyInSteps(live, config, owned, context, true)
  return Result.isFailure(forced)
    ? Result.fail(conflictStatus(forced.failure))
    : Result.succeed(withAnnotation(forced.success, config, writer.manager))
}

/** Updates the annotation of client-side apply if the manager is kubectl. */
const withAnnotation = (applied: Applied, config: KubeObject, manager: string): Applied =>
  manager === kubectl ? { ...applied, object: withLastApplied(applied.object, config) } : applied

/** Returns the name of an object in messages before it exists: `default/web; apps/v1, Kind=Deployment`. */
export const titleOf = (object: KubeObject): string =>
  `${textOf(object.metadata.namespace)}/${textOf(object.metadata.name)}; ${kindTitle(object)}`

/** Returns a text, or none for a value of another type, which a configuration may have. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Returns the kind of an object as Go prints it: `apps/v1, Kind=Deployment`. */
export const kindTitle = ({ apiVersion, kind }: KubeObject): string =>
  `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`

/** Applies the configuration, or returns the conflicts with other managers; with `force` there are none. */
const tryApplyInSteps = function* (
  live: KubeObject,
  config: KubeObject,
  owners: Owners,
  context: WriteContext,
  force: boolean
): Steps<Result.Result<Applied, ReadonlyArray<Conflict>>> {
  const { reset, schema, time, writer } = context
  const identity = identityOf(writer)
  const previous = owners.get(identity)
  const extracted = extractInSteps(config, schema)
  const isLong = isSteps(extracted)
  const fields = recursiveDifference(isLong ? yield* extracted : extracted, reset)
  if (isLong) yield
  const applier: OwnedFields = { ...writer, fields, time: previous?.time }
  const ownersWithConfig = new Map(owners).set(identity, applier)
  const written = goForm(live, schema)
  const merged = merge(written, config, schema)
  if (isLong) yield
  const object = (
    previous === undefined || isEmpty(previous.fields)
      ? merged
      : previous.apiVersion === writer.apiVersion
        ? yield* pruneInSteps(merged, ownersWithConfig, previous.fields, schema)
        : yield* pruneOldVersionInSteps(
            written as KubeObject,
            merged as KubeObject,
            ownersWithConfig,
            previous,
            context
          )
  ) as KubeObject
  if (isLong) yield

  const compared = compareWrittenInSteps(written, object, schema)
  const changes = isSteps(compared) ? yield* compared : compared
  const changedFields = recursiveDifference(union(changes.modified, changes.added), reset)
  const removed = recursiveDifference(changes.removed, reset)
  if (isSteps(compared)) yield
  const byVersion = yield* changesByVersionInSteps(written, object, ownersWithConfig, identity, context)
  const conflicts: Array<Conflict> = []
  for (const [otherId, other] of force ? [] : owners) {
    if (otherId === identity) continue
    const contestedFields = intersection(other.fields, byVersion.get(other.apiVersion)?.changed ?? changedFields)
    if (!isEmpty(contestedFields)) conflicts.push({ identity: otherId, manager: other, fields: contestedFields })
    if (isSteps(compared)) yield
  }
  if (conflicts.length > 0) return Result.fail(conflicts)

  const result = new Map(
    byVersion.size === 0
      ? withoutFields(ownersWithConfig, union(changedFields, removed), identity)
      : withoutChanges(ownersWithConfig, byVersion, { changed: changedFields, removed }, identity)
  )
  if (isSteps(compared)) yield
  // Another order of list elements changes no field, but is a change of the object.
  const unchanged = isSame(changes) && sameValue(written, object)
  const ownedFields = withoutNeverOwned(fields)
  if (isEmpty(ownedFields)) result.delete(identity)
  else result.set(identity, { ...applier, fields: ownedFields, time: unchanged ? previous?.time : time })
  return Result.succeed({ object: unchanged ? live : object, owners: result })
}
