export { bodyTypes, contentTypeOf, JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from "../request/mediaTypes.ts"
export {
  type BodyRequest,
  type DecodedBody,
  decodeBody,
  decodingBody,
  type ExpectedBody,
  type FieldValidation
} from "./decodeBody.ts"
export {
  type DecodedPatch,
  decodePatch,
  decodePatched,
  decodingPatch,
  type PatchBody,
  patchTypeOf
} from "./decodePatch.ts"
export { encodeBody, encodeWatchFrame, encodingBody } from "./encodeBody.ts"
export { unsupportedMediaType } from "./refusals.ts"
export { readingYaml, readYaml } from "./yamlText.ts"
