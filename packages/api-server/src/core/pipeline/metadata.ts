import { formatTime, type ObjectMeta } from "@rollcall/api"

/** Metadata under construction: nobody else holds it yet. */
export type FreshMeta = { -readonly [Key in keyof ObjectMeta]: ObjectMeta[Key] }

/**
 * What the server decides about a new object; what the caller says of it does not count. Fields are left out, never deleted: an
 * object that something was deleted from is slow to copy ever after. In the order in which Go writes them.
 */
export const metaForCreate = (
  given: ObjectMeta,
  place: { readonly namespace: string; readonly name: string; readonly uid: string },
  nowMs: number
): FreshMeta => {
  const {
    name: _name,
    generateName,
    namespace: _namespace,
    uid: _uid,
    resourceVersion: _resourceVersion,
    creationTimestamp: _creationTimestamp,
    selfLink: _selfLink,
    generation: _generation,
    deletionTimestamp: _deletionTimestamp,
    deletionGracePeriodSeconds: _deletionGracePeriodSeconds,
    ...kept
  } = given
  return {
    name: place.name,
    ...(generateName === undefined ? {} : { generateName }),
    ...(place.namespace === "" ? {} : { namespace: place.namespace }),
    uid: place.uid,
    resourceVersion: "",
    creationTimestamp: formatTime(nowMs),
    ...kept
  }
}

/**
 * The metadata of an update: the caller's, with what a caller may leave out filled in from the stored object, and what it cannot
 * change put back. Always a new object, at the stored resourceVersion.
 */
export const metaForUpdate = (given: ObjectMeta, stored: ObjectMeta): FreshMeta => {
  if (given === stored) return { ...stored }
  const metadata: FreshMeta = { ...given }
  restore(metadata, stored, "name", given.name)
  restore(metadata, stored, "namespace", given.namespace)
  restore(metadata, stored, "uid", given.uid)
  restore(metadata, stored, "creationTimestamp", given.creationTimestamp)
  restore(metadata, stored, "resourceVersion", undefined)
  restore(metadata, stored, "generation", undefined)
  if (metadata.selfLink !== undefined) delete metadata.selfLink
  // Once deletion has begun nothing calls it off.
  restore(
    metadata,
    stored,
    "deletionTimestamp",
    stored.deletionTimestamp === undefined ? given.deletionTimestamp : undefined
  )
  restore(metadata, stored, "deletionGracePeriodSeconds", given.deletionGracePeriodSeconds)
  return metadata
}

/** Takes the stored value of a field unless the caller gave one. */
const restore = <Key extends keyof ObjectMeta>(
  metadata: FreshMeta,
  stored: ObjectMeta,
  key: Key,
  given: ObjectMeta[Key]
) => {
  if (given !== undefined && given !== "" && given !== null) return
  const value = stored[key]
  if (value === undefined) delete metadata[key]
  else metadata[key] = value
}
