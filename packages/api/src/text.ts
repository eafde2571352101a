/** The text helpers that command lines need; this module loads no kinds. */

export { formatDuration, parseDuration } from "./Duration.ts"
export { didYouMean, nearest } from "./nearest.ts"
export {
  flagzObject,
  type StatuszFacts,
  statuszObject,
  type ZPageForm,
  type ZPageKind,
  zpageForm,
  zpageType,
  zpageTypes,
  zpageWarning
} from "./zpages.ts"
