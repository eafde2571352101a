// Types of the wire, by kind.

export type { FieldType, MessageType, Scalar, WireType } from "./WireType.ts"
export { wireTypeOf } from "./wireTypeOf.ts"
export { type GroupVersionKind, wireTypeNamed, wireTypeOfGvk, wireTypes } from "./wireTypes.ts"

// JSON, decoded as Go decodes it.

export { goName } from "../validation/goNames.ts"
export { addAlwaysWritten } from "./decode/addAlwaysWritten.ts"
export {
  type Decoded,
  type DecodeOptions,
  decodeJson,
  decodeJsonList,
  decodeValue,
  parseJson,
  parseJsonPatch,
  parsePatchJson,
  parseToGoDepth
} from "./decode/decodeJson.ts"
export { type GoInstant, parseGoTime } from "./decode/goTime.ts"
export { alwaysWrittenFields, isUnset } from "./decode/goTypes.ts"
export { withoutLoneSurrogates } from "./decode/jsonText.ts"
export { maxDepth } from "./decode/maxDepth.ts"
export { putMember } from "./decode/putMember.ts"
export { unstructuredError, withCutIntegers } from "./decode/unstructured.ts"
export { holdsEmpties, markedLike, markStrayBytes, withEmptyBytes, withoutEmpties } from "./empties.ts"
export {
  compactText,
  keepsText,
  keptText,
  mapTexts,
  rawText,
  rememberOwned,
  rememberText,
  visitTexts
} from "./rawText.ts"
export { wellFormedText } from "./strayBytes.ts"
export { wholeFloatsOf, withoutWholeFloats } from "./wholeFloats.ts"
export { goJson, isAsWritten, isUntyped, withNulls, withNullsAsSent } from "./withNulls.ts"
export { parsedWithoutNulls } from "./withoutNulls.ts"
