import type { KubeObject } from "@rollcall/api"
import type { Selection } from "../registry/Selection.ts"
import type { KindCache } from "./KindCache.ts"

/** Visits what is selected, in key order, by the cheapest way there is. */
export const selectFrom = (cache: KindCache, selection: Selection, visitor: (object: KubeObject) => void): void => {
  const { indexed, matches, name, namespace } = selection
  const check = (object: KubeObject) => {
    if (matches === undefined || matches(object)) visitor(object)
  }
  const bucket = cache.namespaced ? namespace : ""
  if (name !== undefined && bucket !== undefined) {
    const cached = cache.get(bucket, name)
    if (cached !== undefined) check(cached.object)
  } else if (indexed !== undefined) {
    for (const { object } of cache.withIndexed(indexed)) {
      if (namespace === undefined || object.metadata.namespace === namespace) check(object)
    }
  } else cache.visit(namespace, check)
}
