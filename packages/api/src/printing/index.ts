// JSONPath and ages, as kubectl prints them.

export { type FindOptions, findJsonPath } from "./findJsonPath.ts"
export { ageOf, humanDuration } from "./HumanDuration.ts"
export {
  type JsonPath,
  type JsonPathError,
  type JsonPathPart,
  type Path,
  type PathStep,
  parseJsonPath
} from "./JsonPath.ts"
export { goJson, jsonPathValueText, printJsonPath } from "./jsonPathText.ts"
