export { decodeJson, decodeValue, parseJson, parsePatchJson } from "./decodeJson.ts"
