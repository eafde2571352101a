import * as Predicate from "effect/Predicate"

/** Is all that is wanted in what was found? Objects may have more fields than are wanted; lists have as many entries, in order. */
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
