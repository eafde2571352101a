export * from "./findJsonPath.ts"
export * from "./HumanDuration.ts"
export * from "./JsonPath.ts"
export * from "./jsonPathText.ts"
