import type { KubeObject } from "@rollcall/api"
import type { WatchEvent } from "@rollcall/cluster"
import type { Revision } from "@rollcall/store"

type Event = WatchEvent & { readonly type: "ADDED" | "MODIFIED" | "DELETED" }

/** One change of one object, as watchers are told of it. The event is made once and shared by all who see it as such. */
export interface Occurrence {
  readonly revision: number
  readonly event: Event
  /** What was there before; undefined for ADDED. */
  readonly previous: KubeObject | undefined
  /** Characters of the object as the store keeps it; 0 where the store does not say. */
  readonly size: number
}

/** For those whose selector the object matches now and did not before. */
export const asAdded = ({ event }: Occurrence): WatchEvent =>
  event.type === "ADDED" ? event : { type: "ADDED", object: event.object }

/** For those whose selector it matched before and does not now: the old object with the new revision. */
export const asDeleted = ({ event, previous, revision }: Occurrence): WatchEvent =>
  event.type === "DELETED" || previous === undefined
    ? event
    : { type: "DELETED", object: atRevision(previous, revision) }

/** The object with another resourceVersion, sharing all else. */
export const atRevision = <A extends KubeObject>(object: A, revision: number): A => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) }
})

/** A stored value with the revision that it was stored at: the store's word counts, not the value's. */
export const stamped = (object: KubeObject, revision: Revision): KubeObject =>
  object.metadata.resourceVersion === String(revision) ? object : atRevision(object, revision)
