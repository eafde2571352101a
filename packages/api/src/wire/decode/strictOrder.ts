/** The maximum number of strict decoding errors, as upstream. */
export const maxStrictErrors = 100

/**
 * The maximum number of characters in the paths of such errors, repeated ones included. A body of long keys could
 * otherwise have the same error, with a path as long as the body, found over and over.
 */
export const maxRecordedText = 4 * 1024 * 1024

/** The place of errors of unknown fields of a custom resource, outside of metadata. */
export const UNKNOWN_FIELDS = 0

/**
 * Returns the errors of a custom resource in their order: duplicate fields in text order, then unknown fields sorted, as
 * its schema finds them later. `places` holds those in metadata: they come before or after the others.
 */
export const inOrderOfSchema = (
  all: ReadonlyArray<string>,
  places: ReadonlyMap<string, number>
): ReadonlyArray<string> => {
  const placeOf = (error: string) => places.get(error) ?? UNKNOWN_FIELDS
  const isDuplicate = (error: string) => error.startsWith("dup")
  const unknown = all.filter((error) => !isDuplicate(error)).sort()
  return [...all.filter(isDuplicate), ...unknown.sort((left, right) => placeOf(left) - placeOf(right))]
}
