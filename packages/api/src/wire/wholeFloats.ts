/**
 * Marks a decoded custom resource with the top-level fields in which a whole number is written with a fraction or an
 * exponent. Go decodes such a number as a float64, which differs from the int64 of the same number that the store has: a
 * write of it is a change, although nothing that is read differs. Copies of the object keep the mark. Upstream:
 * sigs.k8s.io/json (Unmarshal into interface{}); apiextensions-apiserver/pkg/registry/customresource/strategy.go.
 */
const wholeFloats = Symbol("wholeFloats")

interface Marked {
  readonly [wholeFloats]?: ReadonlySet<string>
}

const noFields: ReadonlySet<string> = new Set()

/** From here on Go reads a whole number as a float64 however it is written. */
const INT64_END = 2 ** 63

/** Whether Go reads this text of a number as a float64, and the same number from the store as an int64. */
export const isWholeFloat = (raw: string, value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && Math.abs(value) < INT64_END && /[.eE]/.test(raw)

/** Whether a JSON text may have such numbers. */
export const mayHaveWholeFloats = (json: string): boolean => /\d[.eE]/.test(json)

export const markWholeFloats = (value: unknown, fields: ReadonlySet<string>): unknown =>
  fields.size === 0 ? value : { ...(value as object), [wholeFloats]: fields }

/** Returns the top-level fields of an object in which such numbers are. */
export const wholeFloatsOf = (object: object): ReadonlySet<string> => (object as Marked)[wholeFloats] ?? noFields

export const withoutWholeFloats = <A extends object>(object: A): A => {
  if (!(wholeFloats in object)) return object
  const { [wholeFloats]: _, ...rest } = object as A & Marked
  return rest as A
}
