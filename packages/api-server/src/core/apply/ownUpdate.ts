import { isSteps, type Steps } from "../turns/Steps.ts"
import { compareInSteps } from "./compare.ts"
import { difference, type FieldSet, isEmpty, recursiveDifference, union } from "./fieldSet.ts"
import { capped, identityOf, type Manager, noOwners, type Owned, type Owners, withoutFields } from "./Managers.ts"
import type { StructSchema } from "./schema.ts"

/** Fields that no manager ever owns. Upstream: apimachinery/pkg/util/managedfields/internal/stripmeta.go. */
const neverOwned: FieldSet = {
  "f:apiVersion": {},
  "f:kind": {},
  "f:metadata": {
    ".": {},
    "f:clusterName": {},
    "f:creationTimestamp": {},
    "f:deletionGracePeriodSeconds": {},
    "f:deletionTimestamp": {},
    "f:generation": {},
    "f:managedFields": {},
    "f:name": {},
    "f:namespace": {},
    "f:resourceVersion": {},
    "f:selfLink": {},
    "f:uid": {}
  }
}

export const ownable = (fields: FieldSet): FieldSet => difference(fields, neverOwned)

/** A write, as ownership needs it. */
export interface Writing {
  readonly schema: StructSchema
  readonly writer: Manager
  /** Fields that this (sub)resource resets: its writers never own them. */
  readonly reset: FieldSet
  /** The time in API format; undefined: not recorded. */
  readonly time: string | undefined
}

/**
 * Returns the ownership after an update: the writer alone owns the fields that it adds or changes, removed fields have
 * no owner, all others stay. Returns the same value when nothing changes owner and the writer changed nothing.
 *
 * Upstream: sigs.k8s.io/structured-merge-diff, merge/update.go, Update; apimachinery/pkg/util/managedfields/internal.
 */
export const ownUpdate = function* (before: unknown, after: unknown, owners: Owners, writing: Writing): Steps<Owners> {
  const { reset, schema, time, writer } = writing
  const compared = compareInSteps(before, after, schema, reset)
  const isLong = isSteps(compared)
  const changes = isLong ? yield* compared : compared
  const taken = recursiveDifference(union(changes.modified, changes.added), reset)
  if (isLong) yield
  const removed = recursiveDifference(changes.removed, reset)
  const mine = ownable(taken)
  const identity = identityOf(writer)
  if (isEmpty(mine)) return withoutFields(owners, union(taken, removed), undefined)

  const previous = owners.get(identity)
  const fields = union(difference(previous?.fields ?? {}, removed), mine)
  if (isLong) yield
  const others = withoutFields(owners, union(taken, removed), identity)
  if (previous !== undefined && fields === previous.fields && time === previous.time) return others
  const result = new Map<string, Owned>(others)
  result.set(identity, { ...writer, fields, time })
  return capped(result)
}

const beforeFirstApply = "before-first-apply"

/**
 * Returns the ownership before the first apply to an object without owners: the manager "before-first-apply" owns
 * everything.
 */
export const ownedBeforeApply = (live: unknown, writing: Writing): Steps<Owners> =>
  ownUpdate({}, live, noOwners, {
    ...writing,
    writer: { ...writing.writer, manager: beforeFirstApply, operation: "Update" }
  })
