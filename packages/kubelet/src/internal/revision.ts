import type { KubeObject } from "@rollcall/api"

/** Was the first of two states of an object written earlier? Revisions are decimal numbers without leading zeros. */
export const isOlder = (left: KubeObject, right: KubeObject): boolean => {
  const a = left.metadata.resourceVersion ?? ""
  const b = right.metadata.resourceVersion ?? ""
  return a.length === b.length ? a < b : a.length < b.length
}
