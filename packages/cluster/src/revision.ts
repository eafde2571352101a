import type { KubeObject } from "@rollcall/api"

/**
 * Whether the first of two states of an object was written earlier, for controllers whose own writes are ahead of their
 * caches. Revisions are decimal numbers without leading zeros, and comparable: KEP-5504.
 */
export const isOlder = (left: KubeObject, right: KubeObject): boolean => {
  const a = left.metadata.resourceVersion ?? ""
  const b = right.metadata.resourceVersion ?? ""
  return a.length === b.length ? a < b : a.length < b.length
}
