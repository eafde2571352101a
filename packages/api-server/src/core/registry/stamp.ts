import type { KubeObject } from "@rollcall/api"
import type { Revision } from "@rollcall/store"
import { atRevision } from "../watch/Occurrence.ts"

/** Writes the revision into an object that nobody else holds yet. */
export const stamp = (object: KubeObject, revision: Revision): void => {
  const metadata: { resourceVersion?: string } = object.metadata
  metadata.resourceVersion = String(revision)
}

/** A stored value with the revision that it was stored at: the store's word counts, not the value's. */
export const stamped = (object: KubeObject, revision: Revision): KubeObject =>
  object.metadata.resourceVersion === String(revision) ? object : atRevision(object, revision)
