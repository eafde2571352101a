/** The text helpers that command lines need; this module loads no kinds. */

export { formatDuration, parseDuration } from "./Duration.ts"
export { goFloat } from "./goFloat.ts"
export { didYouMean, nearest } from "./nearest.ts"
export { goQuote } from "./validation/goQuote.ts"
