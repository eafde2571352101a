/**
 * How deep lists and maps of a body may be nested: all that walks a value afterwards may recurse. Go's decoder stops at 10,000, with the
 * same words; no type of the API nests deeper than 50.
 */
export const maxDepth = 500

/** Where Go's decoder stops. Upstream: Go's encoding/json/scanner.go, maxNestingDepth. */
export const goMaxDepth = 10_000
