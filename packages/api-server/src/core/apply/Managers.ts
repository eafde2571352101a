import type { ManagedFieldsEntry } from "@rollcall/api"
import * as Order from "effect/Order"
import { isFields } from "../objects/values.ts"
import { difference, emptySet, type FieldSet, isEmpty, readFieldSet, unionAll } from "./fieldSet.ts"

/** A field manager: managedFields has one entry for each. */
export interface Manager {
  readonly manager: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  readonly subresource: string | undefined
}

/** The fields of one manager. */
export interface Owned extends Manager {
  readonly fields: FieldSet
  readonly time: string | undefined
}

/** The owned fields by the managers' identities. Immutable. */
export type Owners = ReadonlyMap<string, Owned>

export const noOwners: Owners = new Map()

/**
 * Returns the identity of a manager as text: an applier is the same at every version. Messages list managers in the
 * order of these texts. Upstream: apimachinery/pkg/util/managedfields/internal/managedfields.go,
 * BuildManagerIdentifier.
 */
export const identityOf = ({ apiVersion, manager, operation, subresource }: Manager): string =>
  JSON.stringify({
    ...(manager === "" ? {} : { manager }),
    operation,
    ...(operation === "Apply" ? {} : { apiVersion }),
    ...(subresource === undefined || subresource === "" ? {} : { subresource })
  })

type Entries = ReadonlyArray<ManagedFieldsEntry>

const read = new WeakMap<Entries, Owners | Unreadable>()

type Unreadable = "unreadable"

/** Parses the managers of an object's managedFields; undefined if they are invalid. */
export const readOwners = (entries: unknown): Owners | undefined => {
  if (entries === undefined || entries === null) return noOwners
  if (!Array.isArray(entries)) return undefined
  const known = read.get(entries)
  const owners = known ?? decoded(entries) ?? "unreadable"
  if (known === undefined) read.set(entries, owners)
  return owners === "unreadable" ? undefined : owners
}

const decoded = (entries: Entries): Owners | undefined => {
  const owners = new Map<string, Owned>()
  for (const entry of entries) {
    const owned = isFields(entry) ? ownedOf(entry) : undefined
    if (owned === undefined) return undefined
    owners.set(identityOf(owned), owned)
  }
  return owners
}

/** Parses one entry. Sets written by the server are already sorted; a client's are checked once. */
const ownedOf = (entry: ManagedFieldsEntry): Owned | undefined => {
  const { apiVersion, fieldsType, fieldsV1, manager = "", subresource, time } = entry
  const operation = entry.operation === "Apply" ? "Apply" : "Update"
  if (operation !== entry.operation) return undefined
  if (apiVersion === undefined || apiVersion === "" || fieldsType !== "FieldsV1") return undefined
  const fields = readFieldSet(fieldsV1 ?? {})
  return fields === undefined
    ? undefined
    : { manager, operation, apiVersion, subresource: subresource || undefined, fields, time: time ?? undefined }
}

/** Formats managedFields; undefined when nothing is owned. Unchanged entries are reused. */
export const writeOwners = (owners: Owners): Entries | undefined => {
  if (owners.size === 0) return undefined
  const entries = [...owners.values()].sort(compareOwned).map(entryOf)
  read.set(entries, owners)
  return entries
}

const entryByOwned = new WeakMap<Owned, ManagedFieldsEntry>()

const entryOf = (owned: Owned): ManagedFieldsEntry => {
  const known = entryByOwned.get(owned)
  if (known !== undefined) return known
  const { apiVersion, fields, manager, operation, subresource, time } = owned
  const entry: ManagedFieldsEntry = {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: fields,
    ...(subresource === undefined ? {} : { subresource })
  }
  entryByOwned.set(owned, entry)
  return entry
}

/** Sorts appliers first, then by time, then by name. */
const compareOwned = (left: Owned, right: Owned): number =>
  Order.String(left.operation, right.operation) ||
  Order.String(left.time ?? "", right.time ?? "") ||
  Order.String(left.manager, right.manager) ||
  Order.String(left.apiVersion, right.apiVersion) ||
  Order.String(left.subresource ?? "", right.subresource ?? "")

/** Returns the manager with other fields; undefined when none are left. */
export const withFields = (owned: Owned, fields: FieldSet): Owned | undefined => {
  if (fields === owned.fields) return owned
  return isEmpty(fields) ? undefined : { ...owned, fields }
}

/** The maximum number of Update entries of an object. Upstream: fieldmanager.go, DefaultMaxUpdateManagers. */
const MAX_UPDATERS = 10

const ancient = "ancient-changes"

/** Merges the oldest Update entries into one when there are too many. Upstream: internal/capmanagers.go. */
export const capped = (owners: Owners): Owners => {
  const updaters = [...owners].filter(([, { operation }]) => operation === "Update")
  if (updaters.length <= MAX_UPDATERS) return owners
  updaters.sort(
    ([leftId, left], [rightId, right]) =>
      Order.String(left.time ?? "", right.time ?? "") || Order.String(leftId, rightId)
  )
  const result = new Map(owners)
  const joined = new Map<string, Array<FieldSet>>()
  const firsts = new Map<string, string>()
  let count = updaters.length
  for (const [identity, owned] of updaters) {
    if (count <= MAX_UPDATERS) break
    const { apiVersion } = owned
    const first = firsts.get(apiVersion)
    if (first === undefined) {
      firsts.set(apiVersion, identity)
      continue
    }
    const bucket: Manager = { manager: ancient, operation: "Update", apiVersion, subresource: undefined }
    const place = identityOf(bucket)
    const before = result.get(place) ?? result.get(first)
    if (!result.has(place)) result.delete(first)
    result.delete(identity)
    const fields = joined.get(place)
    if (fields === undefined) joined.set(place, [owned.fields, before?.fields ?? emptySet])
    else fields.push(owned.fields)
    // The time of the newer entry. The fields are merged below, all at once.
    result.set(place, { ...bucket, fields: emptySet, time: owned.time })
    count--
  }
  for (const [place, fields] of joined) {
    const bucket = result.get(place)
    if (bucket !== undefined) result.set(place, { ...bucket, fields: unionAll(fields) })
  }
  return result
}

/** Removes fields from all managers except one; managers without remaining fields are removed. */
export const withoutFields = (owners: Owners, fields: FieldSet, except: string | undefined): Owners => {
  let result: Map<string, Owned> | undefined
  for (const [identity, owned] of owners) {
    if (identity === except) continue
    const rest = withFields(owned, difference(owned.fields, fields))
    if (rest === owned) continue
    result ??= new Map(owners)
    if (rest === undefined) result.delete(identity)
    else result.set(identity, rest)
  }
  return result ?? owners
}
