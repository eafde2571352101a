import type { KubeObject } from "@rollcall/api"
import type { WatchEvent } from "@rollcall/cluster"
import type { Revision } from "@rollcall/store"

type Event = WatchEvent & { readonly type: "ADDED" | "MODIFIED" | "DELETED" }

/**
 * One change of one object, as the watch cache keeps it. Its watch event is made once and shared by all watchers that
 * see it in this form. Upstream: storage/cacher, watchCacheEvent.
 */
export interface Occurrence {
  readonly revision: number
  readonly event: Event
  /** The previous state; undefined for ADDED. */
  readonly previous: KubeObject | undefined
  /** The size of the object in the store in characters; 0 if the store does not report it. */
  readonly size: number
}

/** Returns the event for watchers whose selector matches the object now and did not before. */
export const asAdded = ({ event }: Occurrence): WatchEvent =>
  event.type === "ADDED" ? event : { type: "ADDED", object: event.object }

/**
 * Returns the event for watchers whose selector matched the object before and does not now: DELETED, with the old object
 * at the new revision.
 */
export const asDeleted = ({ event, previous, revision }: Occurrence): WatchEvent =>
  event.type === "DELETED" || previous === undefined
    ? event
    : { type: "DELETED", object: withResourceVersion(previous, revision) }

/** Returns the object with another resourceVersion, sharing everything else. */
export const withResourceVersion = <A extends KubeObject>(object: A, revision: number): A => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) }
})

/** Returns a stored value with the revision at which it was stored: the store's revision is authoritative. */
export const withStoredRevision = (object: KubeObject, revision: Revision): KubeObject =>
  object.metadata.resourceVersion === String(revision) ? object : withResourceVersion(object, revision)

/** Returns the change with its objects as the main resource shows them, for watches that begin after it. */
export const asShownLater = (occurrence: Occurrence, asShown: (object: KubeObject) => KubeObject): Occurrence => {
  const { event, previous } = occurrence
  return {
    ...occurrence,
    event: { ...event, object: asShown(event.object) },
    previous: previous === undefined ? undefined : asShown(previous)
  }
}
