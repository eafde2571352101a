export { PROTOBUF_TYPE, YAML_TYPE } from "../request/mediaTypes.ts"
export {
  type DecodedBody,
  decodeBody,
  decodingBody,
  type FieldValidation
} from "./decodeBody.ts"
export {
  decodePatch,
  decodePatched,
  decodingPatch,
  patchTypeOf
} from "./decodePatch.ts"
export { encodeBody, encodeBodySteps, encodeWatchFrame } from "./encodeBody.ts"

export { readYaml } from "./yamlText.ts"
