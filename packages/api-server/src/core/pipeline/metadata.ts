import { formatTime, type KubeObject, type ObjectMeta } from "@rollcall/api"

/** Metadata that is not shared yet, so that its fields can be set. */
export type FreshMeta = { -readonly [Key in keyof ObjectMeta]: ObjectMeta[Key] }

/** Where a new object is, and whether its kind counts generations. */
export interface Place {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly tracksGeneration: boolean
}

/**
 * Returns the metadata of a new object: the caller's, but with the fields that the server controls. The fields have the
 * order in which Go writes them. Unwanted ones are left out, never deleted, because in V8 an object with deleted keys
 * stays slow to copy.
 */
export const metaForCreate = (given: ObjectMeta, place: Place, nowMs: number): FreshMeta => {
  const {
    name: _name,
    generateName,
    namespace: _namespace,
    uid: _uid,
    resourceVersion: _resourceVersion,
    creationTimestamp: _creationTimestamp,
    selfLink: _selfLink,
    generation: givenGeneration = 0,
    ...kept
  } = given
  // A kind that counts generations sets its own; of any other the caller's stays, as in Go.
  const generation = place.tracksGeneration ? 1 : givenGeneration
  return {
    name: place.name,
    ...(generateName === undefined ? {} : { generateName }),
    ...(place.namespace === "" ? {} : { namespace: place.namespace }),
    uid: place.uid,
    resourceVersion: "",
    ...(generation === 0 ? {} : { generation }),
    creationTimestamp: formatTime(nowMs),
    ...kept
  }
}

/**
 * Returns a posted object without the start of a deletion and without a link to itself; a PUT or an apply that creates keeps
 * both. Upstream: registry/rest/meta.go, WipeObjectMetaSystemFields, which only endpoints/handlers/create.go calls.
 */
export const asPosted = (given: KubeObject): KubeObject => {
  const { deletionGracePeriodSeconds: seconds, deletionTimestamp: time, selfLink: link } = given.metadata
  if (seconds === undefined && time === undefined && link === undefined) return given
  const {
    deletionGracePeriodSeconds: _seconds,
    deletionTimestamp: _time,
    selfLink: _link,
    ...metadata
  } = given.metadata
  return { ...given, metadata }
}

/**
 * Returns the metadata of an update: the caller's, with omitted fields taken from the stored object, and immutable ones
 * reset. Always a new object, at the stored resourceVersion.
 */
export const metaForUpdate = (given: ObjectMeta, stored: ObjectMeta): FreshMeta => {
  if (given === stored) return { ...stored }
  const metadata: FreshMeta = { ...given }
  restore(metadata, stored, "name", given.name)
  // The namespace of a cluster-scoped object is ignored.
  restore(metadata, stored, "namespace", stored.namespace ? given.namespace : undefined)
  restore(metadata, stored, "uid", given.uid)
  restore(metadata, stored, "creationTimestamp", stored.creationTimestamp ? undefined : given.creationTimestamp)
  restore(metadata, stored, "resourceVersion", undefined)
  restore(metadata, stored, "generation", undefined)
  // A deletion that has begun cannot be cancelled.
  restore(
    metadata,
    stored,
    "deletionTimestamp",
    stored.deletionTimestamp === undefined ? given.deletionTimestamp : undefined
  )
  restore(metadata, stored, "deletionGracePeriodSeconds", given.deletionGracePeriodSeconds)
  return metadata
}

/** Sets a field to its stored value, or removes it if it has none, unless the caller gave a value. */
const restore = <Key extends keyof ObjectMeta>(
  metadata: FreshMeta,
  stored: ObjectMeta,
  key: Key,
  given: ObjectMeta[Key]
) => {
  if (given !== undefined && given !== "" && given !== null) return
  const value = stored[key]
  if (value !== undefined) metadata[key] = value
  else if (key in metadata) delete metadata[key]
}
