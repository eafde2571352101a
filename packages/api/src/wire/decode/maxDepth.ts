/**
 * The maximum nesting of a body. It is less than Go's 10,000, because code here recurses over values; exceeding it has
 * the same message. No type of the API nests deeper than 50.
 */
export const maxDepth = 500

/** The maximum nesting of Go's decoder. Upstream: Go's encoding/json/scanner.go, maxNestingDepth. */
export const goMaxDepth = 10_000
