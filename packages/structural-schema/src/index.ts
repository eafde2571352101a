// Schemas of custom resources.

export { isKnownFormat } from "./formats.ts"
export { asSchema, type JsonSchema, type ValidationRule } from "./JsonSchema.ts"
export { definitionFaults, definitionFaultsInSteps } from "./schemaFaults.ts"

// What a schema does to objects.

export { messageOf } from "./messageOf.ts"
export { DefaultsExceeded, normalise, normaliseApplied, prune } from "./normalise.ts"

// What is wrong with objects.

export {
  type CustomType,
  type ObjectFaults,
  objectFaults,
  objectFaultsInSteps,
  type WrittenObject
} from "./objectFaults.ts"
export { finalizerWarnings } from "./typeRules.ts"
export { validateRules } from "./validateRules.ts"
export { validateSchema } from "./validateSchema.ts"

// The bound of the work.

export { Work, WorkExceeded } from "./Work.ts"
