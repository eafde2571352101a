import { isSteps, type Steps } from "../turns/Steps.ts"
import { comparing } from "./compare.ts"
import { beyond, difference, type FieldSet, isEmpty, union } from "./fieldSet.ts"
import { capped, identityOf, type Manager, noOwners, type Owned, type Owners, withoutFields } from "./Managers.ts"
import type { StructSchema } from "./schema.ts"

/** What nobody ever owns. Upstream: apimachinery/pkg/util/managedfields/internal/stripmeta.go. */
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

/** A write, as far as ownership asks. */
export interface Writing {
  readonly schema: StructSchema
  readonly writer: Manager
  /** What this (sub)resource does not let its writers change: never theirs. */
  readonly reset: FieldSet
  /** When, as the API writes times; undefined: not noted. */
  readonly time: string | undefined
}

/**
 * Who owns what after an update: what it adds or changes is the writer's and nobody else's, what it removes is nobody's, all the
 * rest stays. The same value when nothing changes hands and the writer changed nothing.
 *
 * Upstream: sigs.k8s.io/structured-merge-diff, merge/update.go, Update; apimachinery/pkg/util/managedfields/internal.
 */
export const ownUpdate = function* (before: unknown, after: unknown, owners: Owners, writing: Writing): Steps<Owners> {
  const { reset, schema, time, writer } = writing
  const compared = comparing(before, after, schema, reset)
  const isLong = isSteps(compared)
  const changes = isLong ? yield* compared : compared
  const taken = beyond(union(changes.modified, changes.added), reset)
  if (isLong) yield
  const removed = beyond(changes.removed, reset)
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

/** Who owns what before somebody applies to an object that nobody owned: all of it belongs to one for "before". */
export const ownedBeforeApply = (live: unknown, writing: Writing): Steps<Owners> =>
  ownUpdate({}, live, noOwners, {
    ...writing,
    writer: { ...writing.writer, manager: beforeFirstApply, operation: "Update" }
  })
