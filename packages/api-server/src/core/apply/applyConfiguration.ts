import { badRequest, type KubeObject, type Status, unknownError } from "@rollcall/api"
import * as Result from "effect/Result"
import { isSteps, type Steps } from "../turns/Steps.ts"
import { type Conflict, conflictStatus, without } from "./Conflict.ts"
import { checkTyped } from "./checkTyped.ts"
import { comparing, isSame } from "./compare.ts"
import { extracting } from "./extract.ts"
import { beyond, emptySet, intersection, isEmpty, union } from "./fieldSet.ts"
import { allowedByLastApplied, withLastApplied } from "./lastApplied.ts"
import { identityOf, type Owned, type Owners, withoutFields } from "./Managers.ts"
import { merge } from "./merge.ts"
import { ownable, ownedBeforeApply, type Writing } from "./ownUpdate.ts"
import { prune } from "./prune.ts"

/** What an apply came to. */
export interface Applied {
  /** The very live object where the configuration changes nothing. */
  readonly object: KubeObject
  readonly owners: Owners
}

/** The manager that once applied on the client's side. */
const kubectl = "kubectl"

/**
 * Lays a configuration over the live object: what it says is its applier's from now on, what the applier said before and says no
 * more goes unless somebody else owns it, and what others own with another value is a conflict, or is taken by force.
 *
 * Upstream: apimachinery/pkg/util/managedfields/internal/{fieldmanager,structuredmerge,skipnonapplied}.go; merge/update.go, Apply.
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

/** As messages name an object that was not made yet: `default/web; apps/v1, Kind=Deployment`. */
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
  const said = extracting(config, schema)
  const isLong = isSteps(said)
  const fields = beyond(isLong ? yield* said : said, reset)
  if (isLong) yield
  const mine: Owned = { ...writer, fields, time: previous?.time }
  const claimed = new Map(owners).set(identity, mine)
  const merged = merge(live, config, schema)
  if (isLong) yield
  const last = previous === undefined ? emptySet : previous.fields
  const object = (isEmpty(last) ? merged : yield* prune(merged, claimed, last, schema)) as KubeObject
  if (isLong) yield

  const compared = comparing(live, object, schema)
  const changes = isSteps(compared) ? yield* compared : compared
  const taken = beyond(union(changes.modified, changes.added), reset)
  const removed = beyond(changes.removed, reset)
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
