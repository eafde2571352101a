import type { ManagedFieldsEntry } from "@rollcall/api"
import { isFields } from "@rollcall/api/values"
import * as Order from "effect/Order"
import { difference, emptySet, type FieldSet, isEmpty, readFieldSet, unionAll } from "./fieldSet.ts"

/** A field manager: managedFields has one entry for each. */
export interface Manager {
  readonly manager: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  readonly subresource: string | undefined
}

/** A manager and the fields that it owns. */
export interface OwnedFields extends Manager {
  readonly fields: FieldSet
  /** When the manager last changed a field, as in the API; undefined if that was not recorded. */
  readonly time: string | undefined
}

/** The managers of an object with their fields, by `identityOf` the manager. Immutable. */
export type Owners = ReadonlyMap<string, OwnedFields>

export const noOwners: Owners = new Map()

/**
 * Returns the identity of a manager as text. It contains no apiVersion for an applier, which is therefore the same
 * manager at every version. Messages list managers in the order of these texts. Upstream:
 * apimachinery/pkg/util/managedfields/internal/managedfields.go,
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

/** The parsed managedFields, so that each is parsed once. */
const ownersByEntries = new WeakMap<Entries, Owners | Unreadable>()

type Unreadable = "unreadable"

/** Parses an object's managedFields. Returns undefined if they are invalid. */
export const readOwners = (entries: unknown): Owners | undefined => {
  if (entries === undefined || entries === null) return noOwners
  if (!Array.isArray(entries)) return undefined
  const known = ownersByEntries.get(entries)
  const owners = known ?? parseEntries(entries) ?? "unreadable"
  if (known === undefined) ownersByEntries.set(entries, owners)
  return owners === "unreadable" ? undefined : owners
}

const parseEntries = (entries: Entries): Owners | undefined => {
  const owners = new Map<string, OwnedFields>()
  for (const entry of entries) {
    const owned = isFields(entry) ? parseEntry(entry) : undefined
    if (owned === undefined) return undefined
    owners.set(identityOf(owned), owned)
  }
  return owners
}

/** Parses one entry. Returns undefined if it is invalid. */
const parseEntry = (entry: ManagedFieldsEntry): OwnedFields | undefined => {
  const { apiVersion, fieldsType, fieldsV1, manager = "", subresource, time } = entry
  const operation = entry.operation === "Apply" ? "Apply" : "Update"
  if (operation !== entry.operation) return undefined
  if (apiVersion === undefined || apiVersion === "" || fieldsType !== "FieldsV1") return undefined
  const fields = readFieldSet(fieldsV1 ?? {})
  return fields === undefined
    ? undefined
    : { manager, operation, apiVersion, subresource: subresource || undefined, fields, time: time ?? undefined }
}

/** Returns the owners as managedFields, or undefined if there are none. Entries of unchanged managers are reused. */
export const writeOwners = (owners: Owners): Entries | undefined => {
  const entries = entriesOf([...owners.values()])
  if (entries !== undefined) ownersByEntries.set(entries, owners)
  return entries
}

/** Returns the managedFields of managers, of which several may have the same identity. */
export const entriesOf = (all: Array<OwnedFields>): Entries | undefined =>
  all.length === 0 ? undefined : all.sort(compareOwned).map(entryOf)

const entryByOwned = new WeakMap<OwnedFields, ManagedFieldsEntry>()

const entryOf = (owned: OwnedFields): ManagedFieldsEntry => {
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

/** Orders the entries of managedFields: appliers first, then by time, then by name. */
const compareOwned = (left: OwnedFields, right: OwnedFields): number =>
  Order.String(left.operation, right.operation) ||
  Order.String(left.time ?? "", right.time ?? "") ||
  Order.String(left.manager, right.manager) ||
  Order.String(left.apiVersion, right.apiVersion) ||
  Order.String(left.subresource ?? "", right.subresource ?? "")

/** Returns the manager with other fields, or undefined if there are none. */
export const withFields = (owned: OwnedFields, fields: FieldSet): OwnedFields | undefined => {
  if (fields === owned.fields) return owned
  return isEmpty(fields) ? undefined : { ...owned, fields }
}

/** Whether a manager names a version that cannot be parsed: `a/b/c`. */
export const namesNoVersion = (owners: Owners): boolean => {
  for (const { apiVersion } of owners.values()) {
    if (apiVersion.indexOf("/") !== apiVersion.lastIndexOf("/")) return true
  }
  return false
}

/** The maximum number of Update entries of an object. Upstream: fieldmanager.go, DefaultMaxUpdateManagers. */
const MAX_UPDATERS = 10

/** The manager that owns the fields of merged entries. Upstream: internal/capmanagers.go. */
const ancientChanges = "ancient-changes"

/**
 * Merges the oldest Update entries of a version into one, of the manager "ancient-changes", if there are more than
 * `MAX_UPDATERS`. Upstream: internal/capmanagers.go.
 */
export const capUpdaters = (owners: Owners): Owners => {
  const updaters = [...owners].filter(([, { operation }]) => operation === "Update")
  if (updaters.length <= MAX_UPDATERS) return owners
  updaters.sort(
    ([leftId, left], [rightId, right]) =>
      Order.String(left.time ?? "", right.time ?? "") || Order.String(leftId, rightId)
  )
  const result = new Map(owners)
  const fieldsByBucket = new Map<string, Array<FieldSet>>()
  const firstByVersion = new Map<string, string>()
  let count = updaters.length
  for (const [identity, owned] of updaters) {
    if (count <= MAX_UPDATERS) break
    const { apiVersion } = owned
    const first = firstByVersion.get(apiVersion)
    if (first === undefined) {
      firstByVersion.set(apiVersion, identity)
      continue
    }
    const bucket: Manager = { manager: ancientChanges, operation: "Update", apiVersion, subresource: undefined }
    const bucketId = identityOf(bucket)
    const before = result.get(bucketId) ?? result.get(first)
    if (!result.has(bucketId)) result.delete(first)
    result.delete(identity)
    const fields = fieldsByBucket.get(bucketId)
    if (fields === undefined) fieldsByBucket.set(bucketId, [owned.fields, before?.fields ?? emptySet])
    else fields.push(owned.fields)
    // The time of the newer entry. The fields are merged below, all at once.
    result.set(bucketId, { ...bucket, fields: emptySet, time: owned.time })
    count--
  }
  for (const [bucketId, fields] of fieldsByBucket) {
    const bucket = result.get(bucketId)
    if (bucket !== undefined) result.set(bucketId, { ...bucket, fields: unionAll(fields) })
  }
  return result
}

/**
 * Returns the owners without these fields, except for the manager with the identity `except`, which keeps its own.
 * Managers without remaining fields are removed. Returns `owners` itself if nothing changes.
 */
export const withoutFields = (owners: Owners, fields: FieldSet, except: string | undefined): Owners => {
  let result: Map<string, OwnedFields> | undefined
  for (const [identity, owned] of owners) {
    if (identity === except) continue
    const rest = isEmpty(owned.fields) ? undefined : withFields(owned, difference(owned.fields, fields))
    if (rest === owned) continue
    result ??= new Map(owners)
    if (rest === undefined) result.delete(identity)
    else result.set(identity, rest)
  }
  return result ?? owners
}
