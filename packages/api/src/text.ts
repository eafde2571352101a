/** What command lines need of the API's texts; it loads none of the kinds. */

export { formatDuration, parseDuration } from "./Duration.ts"
export { didYouMean, nearest } from "./nearest.ts"
