import { badRequest, type KubeObject, type Status, unknownError } from "@rollcall/api"
import * as Result from "effect/Result"
import { isSteps, type Steps } from "../turns/Steps.ts"
import { type Conflict, conflictStatus, without } from "./Conflict.ts"
import { checkTyped } from "./checkTyped.ts"
import { compareInSteps, isSame } from "./compare.ts"
import { extractInSteps } from "./extract.ts"
import { emptySet, intersection, isEmpty, recursiveDifference, union } from "./fieldSet.ts"
import { allowedByLastApplied, withLastApplied } from "./lastApplied.ts"
import { identityOf, type Owned, type Owners, withoutFields } from "./Managers.ts"
import { merge } from "./merge.ts"
import { ownable, ownedBeforeApply, type Writing } from "./ownUpdate.ts"
import { prune } from "./prune.ts"

/** The result of an apply. */
export interface Applied {
  /** The live object itself when the configuration changes nothing. */
  readonly object: KubeObject
  readonly owners: Owners
}

/** The manager of client-side apply. */
const kubectl = "kubectl"

/**
 * Applies a configuration to the live object. The applier owns the fields of the configuration; fields that it applied
 * before and now omits are removed unless another manager owns them; a field that another manager owns with another
 * value is a conflict, or is taken when forced.
 * Upstream: apimachinery/pkg/util/managedfields/internal/{fieldmanager,structuredmerge,skipnonapplied}.go;
 * merge/update.go, Apply.
 */
export const applyConfiguration = function* (
  live: KubeObject,
  config: KubeObject,
  owners: Owners,
  writing: Writing,
  force: boolean
): Steps<Result.Result<Applied, Status>> {
  const { schema, writer } = writing
  if (config.metadata.managedFields !== undefined && config.metadata.managedFields !== null) {
    return Result.fail(badRequest("metadata.managedFields must be nil"))
  }
  const wrong = checkTyped(config, schema)
  if (wrong !== undefined) {
    return Result.fail(unknownError(`failed to create typed patch object (${titleOf(config)}): ${wrong}`))
  }
  const owned = owners.size === 0 ? yield* ownedBeforeApply(live, writing) : owners
  const first = yield* attempt(live, config, owned, writing, force)
  if (Result.isSuccess(first)) return Result.succeed(noted(first.success, config, writer.manager))

  const allowed = writer.manager === kubectl ? yield* allowedByLastApplied(live, schema) : undefined
  const conflicts = allowed === undefined ? first.failure : without(first.failure, allowed)
  if (conflicts.length > 0) return Result.fail(conflictStatus(conflicts))
  const forced = yield* attempt(live, config, owned, writing, true)
  return Result.isFailure(forced)
    ? Result.fail(conflictStatus(forced.failure))
    : Result.succeed(noted(forced.success, config, writer.manager))
}

const noted = (applied: Applied, config: KubeObject, manager: string): Applied =>
  manager === kubectl ? { ...applied, object: withLastApplied(applied.object, config) } : applied

/** Returns the name of an object in messages before it exists: `default/web; apps/v1, Kind=Deployment`. */
const titleOf = ({ apiVersion, kind, metadata }: KubeObject): string => {
  const groupVersion = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}; ${groupVersion}, Kind=${kind}`
}

const attempt = function* (
  live: KubeObject,
  config: KubeObject,
  owners: Owners,
  writing: Writing,
  force: boolean
): Steps<Result.Result<Applied, ReadonlyArray<Conflict>>> {
  const { reset, schema, time, writer } = writing
  const identity = identityOf(writer)
  const previous = owners.get(identity)
  const said = extractInSteps(config, schema)
  const isLong = isSteps(said)
  const fields = recursiveDifference(isLong ? yield* said : said, reset)
  if (isLong) yield
  const mine: Owned = { ...writer, fields, time: previous?.time }
  const claimed = new Map(owners).set(identity, mine)
  const merged = merge(live, config, schema)
  if (isLong) yield
  const last = previous === undefined ? emptySet : previous.fields
  const object = (isEmpty(last) ? merged : yield* prune(merged, claimed, last, schema)) as KubeObject
  if (isLong) yield

  const compared = compareInSteps(live, object, schema)
  const changes = isSteps(compared) ? yield* compared : compared
  const taken = recursiveDifference(union(changes.modified, changes.added), reset)
  const removed = recursiveDifference(changes.removed, reset)
  if (isSteps(compared)) yield
  const conflicts: Array<Conflict> = []
  for (const [otherId, other] of force ? [] : owners) {
    if (otherId === identity) continue
    const contested = intersection(other.fields, taken)
    if (!isEmpty(contested)) conflicts.push({ identity: otherId, manager: other, fields: contested })
    if (isSteps(compared)) yield
  }
  if (conflicts.length > 0) return Result.fail(conflicts)

  const result = new Map(withoutFields(claimed, union(taken, removed), identity))
  if (isSteps(compared)) yield
  const unchanged = isSame(changes)
  const kept = ownable(fields)
  if (isEmpty(kept)) result.delete(identity)
  else result.set(identity, { ...mine, fields: kept, time: unchanged ? previous?.time : time })
  return Result.succeed({ object: unchanged ? live : object, owners: result })
}
