import { groupResourceOf, type KindName, type KubeObject, keyOf, resourceOf } from "@rollcall/api"
import * as Schema from "effect/Schema"

/** A cache has not seen a write of the controller. Upstream: ConsistencyError. */
export class StaleCache extends Schema.TaggedError<StaleCache>()("StaleCache", {
  group: Schema.String,
  resource: Schema.String,
  read: Schema.String,
  written: Schema.String
}) {
  override get message(): string {
    const name = this.group === "" ? this.resource : `${this.resource}.${this.group}`
    return `read version: ${this.read} is not as new as written version: ${this.written} for group resource ${name}`
  }
}

/** A cache of a kind, and the newest revision that it has seen. */
export interface VersionedCache {
  readonly kind: KindName
  readonly lastResourceVersion: () => string
}

/** A revision that was written, and the newest one that the cache of its kind has seen. */
export interface UnseenWrite {
  readonly kind: KindName
  readonly read: string
  readonly written: string
}

interface OwnerRecord {
  readonly uid: string
  readonly versions: Map<KindName, string>
}

const isWellFormed = (version: string): boolean => /^[1-9][0-9]*$/.test(version)

/**
 * Orders two revisions; undefined if one of them is no positive decimal number. Upstream:
 * apimachinery/pkg/util/resourceversion CompareResourceVersion.
 */
export const compareVersions = (left: string, right: string): number | undefined => {
  if (!isWellFormed(left) || !isWellFormed(right)) return undefined
  if (left.length !== right.length) return left.length - right.length
  return left === right ? 0 : left < right ? -1 : 1
}

/**
 * The newest revisions that a controller wrote for its objects, by their keys. An object whose writes the caches have
 * not seen is not synced: the sync would act on the past. Without caches it records nothing. Upstream:
 * pkg/controller/util/consistency.
 */
export class ConsistencyStore {
  private readonly caches: ReadonlyMap<KindName, VersionedCache>
  private readonly records = new Map<string, OwnerRecord>()

  constructor(caches: ReadonlyArray<VersionedCache>) {
    this.caches = new Map(caches.map((cache) => [cache.kind, cache]))
  }

  /** Records a write for the object with this key (`namespace/name`) and UID. */
  wroteAt(key: string, uid: string, kind: KindName, version: string): void {
    if (!this.caches.has(kind)) return
    const record = this.recordOf(key, uid)
    const known = record.versions.get(kind)
    const order = known === undefined ? undefined : compareVersions(known, version)
    if (order === undefined || order < 0) record.versions.set(kind, version)
  }

  private recordOf(key: string, uid: string): OwnerRecord {
    const known = this.records.get(key)
    if (known?.uid === uid) return known
    const record = { uid, versions: new Map<KindName, string>() }
    this.records.set(key, record)
    return record
  }

  /** Forgets an object, whatever its UID if none is given. */
  clear(key: string, uid?: string): void {
    if (uid === undefined || this.records.get(key)?.uid === uid) this.records.delete(key)
  }

  /** Returns a write for an object that its cache has not seen; undefined, and forgets them, if all are seen. */
  unseenWriteOf(key: string): UnseenWrite | undefined {
    const record = this.records.get(key)
    if (record === undefined) return undefined
    for (const [kind, written] of record.versions) {
      const read = this.readVersionOf(kind)
      if ((compareVersions(written, read) ?? 0) > 0) return { kind, read, written }
    }
    this.records.delete(key)
    return undefined
  }

  /** As `unseenWriteOf`, as the error of a sync. */
  staleCacheOf(key: string): StaleCache | undefined {
    const unseen = this.unseenWriteOf(key)
    if (unseen === undefined) return undefined
    const { kind, read, written } = unseen
    return new StaleCache({ ...groupResourceOf(resourceOf(kind)), read, written })
  }

  /** The newest revision that the cache of a kind has seen. */
  readVersionOf(kind: KindName): string {
    return this.caches.get(kind)?.lastResourceVersion() ?? ""
  }
}

/** Makes the store of a controller over its caches of some kinds; one that records nothing if the gate is off. */
export const consistencyStoreOf = (
  kinds: ReadonlyArray<KindName>,
  cache: (kind: KindName) => Pick<VersionedCache, "lastResourceVersion">,
  isEnabled: boolean
): ConsistencyStore =>
  new ConsistencyStore(
    isEnabled ? kinds.map((kind) => ({ kind, lastResourceVersion: () => cache(kind).lastResourceVersion() })) : []
  )

/** A handler that makes the store forget deleted objects. */
export const forgetDeleted = (store: ConsistencyStore) => ({
  onDelete: ({ metadata }: KubeObject): void => store.clear(keyOf({ metadata }), metadata.uid ?? "")
})
