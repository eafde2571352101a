import type { KubeObject } from "@rollcall/api"
import type { KindCache } from "./KindCache.ts"
import type { Selection } from "./Selection.ts"

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
