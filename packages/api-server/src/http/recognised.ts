import { isFields } from "../pipeline/bodies.ts"
import { sameValue } from "../pipeline/sameValue.ts"
import type { KindState } from "../registry/Registry.ts"

/**
 * The body of an update, with the stored metadata itself where it says the same: a heartbeat that arrives in bytes is then as
 * plainly one as that of a caller in process, and takes the same short lane. Only kinds with such a lane are looked at.
 */
export const recognised = (
  state: KindState,
  place: { readonly namespace: string; readonly name: string },
  object: unknown
): unknown => {
  if (state.definition.strategy.isRenewal === undefined || !isFields(object)) return object
  const stored = state.cache.get(place.namespace, place.name)?.object
  if (stored === undefined || !sameValue(object.metadata, stored.metadata)) return object
  return { ...object, metadata: stored.metadata }
}
