export { PROTOBUF_TYPE, YAML_TYPE } from "../request/mediaTypes.ts"
export {
  bodyTypeRefusal,
  type DecodedBody,
  decodeBody,
  decodeBodyInSteps,
  type FieldValidation
} from "./decodeBody.ts"
export {
  decodePatch,
  decodePatchInSteps,
  patchTypeOf
} from "./decodePatch.ts"
export { encodeBody, encodeBodyInSteps, encodeWatchFrame } from "./encodeBody.ts"
