export { decodeJson, decodeValue, parseJson } from "./decodeJson.ts"
