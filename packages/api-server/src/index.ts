export * from "./admission/Admission.ts"
export * from "./admission/index.ts"
export * from "./deletion/index.ts"
