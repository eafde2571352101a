import * as Predicate from "effect/Predicate"

/** Returns whether `found` contains `wanted`. Objects may have additional fields; lists must have the same length and order. */
export const matches = (found: unknown, wanted: unknown): boolean => {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(found) &&
      found.length === wanted.length &&
      wanted.every((value, index) => matches(found[index], value))
    )
  }
  if (Predicate.isReadonlyObject(wanted)) {
    return (
      Predicate.isReadonlyObject(found) && Object.entries(wanted).every(([key, value]) => matches(found[key], value))
    )
  }
  return found === wanted
}
