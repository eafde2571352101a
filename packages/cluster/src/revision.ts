import type { KubeObject } from "@rollcall/api"

/**
 * Was the first of two states of an object written earlier? Revisions are decimal numbers without leading zeros, and comparable:
 * KEP-5504. For controllers whose own writes are ahead of their caches.
 */
export const isOlder = (left: KubeObject, right: KubeObject): boolean => {
  const a = left.metadata.resourceVersion ?? ""
  const b = right.metadata.resourceVersion ?? ""
  return a.length === b.length ? a < b : a.length < b.length
}
