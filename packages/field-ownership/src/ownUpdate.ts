import { isFields } from "@rollcall/api/values"
import { isSteps, type Steps } from "@rollcall/time"
import { compareInSteps, compareWrittenInSteps } from "./compare.ts"
import { difference, type FieldSet, isEmpty, recursiveDifference, union } from "./fieldSet.ts"
import { capUpdaters, identityOf, noOwners, type OwnedFields, type Owners, withoutFields } from "./Managers.ts"
import { goForm, type StructSchema } from "./schema.ts"
import { changesByVersionInSteps, knownOwners, withoutChanges } from "./versions.ts"
import type { WriteContext } from "./WriteContext.ts"

/** Fields that no manager ever owns. Upstream: apimachinery/pkg/util/managedfields/internal/stripmeta.go. */
const neverOwned: FieldSet = {
  "f:apiVersion": {},
  "f:kind": {},
  "f:metadata": {
    ".": {},
    "f:clusterName": {},
    "f:creationTimestamp": {},
    "f:generation": {},
    "f:managedFields": {},
    "f:name": {},
    "f:namespace": {},
    "f:resourceVersion": {},
    "f:selfLink": {},
    "f:uid": {}
  }
}

/** Returns the fields without those that no manager ever owns. */
export const withoutNeverOwned = (fields: FieldSet): FieldSet => difference(fields, neverOwned)

/**
 * Returns the owners after an update from `before` to `after`: the writer alone owns the fields that it adds or changes,
 * removed fields have no owner, all others keep theirs. Returns `owners` itself if none of that changes them.
 *
 * Upstream: sigs.k8s.io/structured-merge-diff, merge/update.go, Update; apimachinery/pkg/util/managedfields/internal.
 */
export const ownersAfterUpdateInSteps = function* (
  before: unknown,
  after: unknown,
  all: Owners,
  context: WriteContext,
  compareStates = compareInSteps
): Steps<Owners> {
  const { reset, schema, time, writer } = context
  const identity = identityOf(writer)
  const owners = knownOwners(all, identity, context)
  const compared = compareStates(before, after, schema, reset)
  const isLong = isSteps(compared)
  const changes = isLong ? yield* compared : compared
  const changedFields = recursiveDifference(union(changes.modified, changes.added), reset)
  if (isLong) yield
  const removed = recursiveDifference(changes.removed, reset)
  const writerFields = withoutNeverOwned(changedFields)
  const byVersion =
    context.versions === undefined
      ? undefined
      : yield* changesByVersionInSteps(before, after, owners, identity, context)
  const rest = (except: string | undefined) =>
    byVersion === undefined || byVersion.size === 0
      ? withoutFields(owners, union(changedFields, removed), except)
      : withoutChanges(owners, byVersion, { changed: changedFields, removed }, except)
  if (isEmpty(writerFields)) return rest(undefined)

  const previous = owners.get(identity)
  const fields = union(difference(previous?.fields ?? {}, removed), writerFields)
  if (isLong) yield
  const others = rest(identity)
  if (previous !== undefined && fields === previous.fields && time === previous.time) return others
  const result = new Map<string, OwnedFields>(others)
  result.set(identity, { ...writer, fields, time })
  return capUpdaters(result)
}

/** Returns the owners of a new object: its creator owns all fields, and the managers in `owners` keep theirs. */
export const ownersOfNewInSteps = (object: unknown, owners: Owners, context: WriteContext): Steps<Owners> =>
  ownersAfterUpdateInSteps(withoutSentLists(context.empty, object), object, owners, context, compareNewInSteps)

const compareNewInSteps = (before: unknown, after: unknown, schema: StructSchema) =>
  compareWrittenInSteps(before, after, schema, "new")

/**
 * Returns `empty` with null in place of each list that the request contained, at any depth, so that an empty list counts
 * as set. The decoder gives an absent list the very array of `empty`.
 */
const withoutSentLists = (empty: unknown, object: unknown): unknown => {
  if (!isFields(empty) || !isFields(object)) return empty
  let made: Record<string, unknown> | undefined
  for (const name in empty) {
    const before = empty[name]
    const after = object[name]
    const next = Array.isArray(before) && after !== before ? null : withoutSentLists(before, after)
    if (next === before) continue
    made ??= { ...empty }
    made[name] = next
  }
  return made ?? empty
}

const beforeFirstApply = "before-first-apply"

/** Returns the owners of an object without owners before its first apply: "before-first-apply" owns all its fields. */
export const ownersBeforeApplyInSteps = (live: unknown, context: WriteContext): Steps<Owners> =>
  ownersAfterUpdateInSteps(goForm(context.empty, context.schema), goForm(live, context.schema), noOwners, {
    ...context,
    writer: { ...context.writer, manager: beforeFirstApply, operation: "Update" }
  })
