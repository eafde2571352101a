/**
 * The maximum nesting of a body: code that walks a value may recurse. Go's decoder stops at 10,000, with the same
 * message; no type of the API nests deeper than 50.
 */
export const maxDepth = 500

/** The maximum nesting of Go's decoder. Upstream: Go's encoding/json/scanner.go, maxNestingDepth. */
export const goMaxDepth = 10_000
