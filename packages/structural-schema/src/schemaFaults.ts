import type { CustomResourceDefinition } from "@rollcall/api"
import {
  type DeepChecks,
  type DefinedSchema,
  definedSchemaFaults,
  definedSchemas,
  ErrorList,
  type FieldErrors,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionUpdate
} from "@rollcall/api/validation"
import { sameValue } from "@rollcall/api/values"
import { compilePattern, compileSteps, PatternFault } from "@rollcall/cel"
import { runAllSteps, type Steps } from "@rollcall/time"
import { checkDefaults } from "./defaultFaults.ts"
import { asSchema } from "./JsonSchema.ts"
import { checkRules } from "./ruleFaults.ts"
import { FAULT_STEPS, VISIT_STEPS, Work, WorkExceeded } from "./Work.ts"

/** The errors of each schema of a definition, by its path. */
type FaultsBySchema = ReadonlyMap<string, FieldErrors>

/**
 * Returns the errors in the schemas of a definition. Patterns, defaults and rules of a schema that a version already has
 * are not checked again.
 */
const schemaFaultsInSteps = function* (
  definition: CustomResourceDefinition,
  old?: CustomResourceDefinition
): Steps<FaultsBySchema> {
  const known = new Map(old?.spec.versions.map(({ name, schema }) => [name, schema?.openAPIV3Schema] as const))
  const isKnown = ({ schema, version }: DefinedSchema) => {
    const names = version === undefined ? definition.spec.versions.map(({ name }) => name) : [version]
    return names.every((name) => sameValue(known.get(name), schema))
  }
  const work = new Work()
  const found = new Map<string, FieldErrors>()
  for (const defined of definedSchemas(definition.spec)) {
    found.set(defined.at, yield* checkSchema(defined, isKnown(defined) ? undefined : deepChecks(work)))
  }
  return found
}

/** Returns the errors of a definition, also those in its schemas, their patterns, defaults and rules. */
export const definitionFaultsInSteps = function* (
  definition: CustomResourceDefinition,
  stored?: CustomResourceDefinition
): Steps<FieldErrors> {
  const faults = yield* schemaFaultsInSteps(definition, stored)
  const faultsOf = ({ at }: { readonly at: string }) => faults.get(at) ?? []
  return stored === undefined
    ? validateCustomResourceDefinition(definition, faultsOf)
    : validateCustomResourceDefinitionUpdate(definition, stored, faultsOf)
}

/** Does the work of `definitionFaultsInSteps` in one piece, without pauses. */
export const definitionFaults = (...of: Parameters<typeof definitionFaultsInSteps>): FieldErrors =>
  runAllSteps(definitionFaultsInSteps(...of))

const checkSchema = function* (defined: DefinedSchema, checks: DeepChecks | undefined): Steps<FieldErrors> {
  try {
    return yield* definedSchemaFaults(defined, checks)
  } catch (error) {
    if (!(error instanceof WorkExceeded)) throw error
    const only = new ErrorList()
    only.forbidden(`${defined.at}.openAPIV3Schema`, error.message)
    return only.all
  }
}

const deepChecks = (work: Work): DeepChecks => ({
  patternFault: (pattern) => {
    work.spend(VISIT_STEPS + compileSteps(pattern))
    const compiled = compilePattern(pattern)
    if (!(compiled instanceof PatternFault)) return undefined
    work.spend(FAULT_STEPS + pattern.length)
    return compiled.message
  },
  *defaults(schema, at) {
    const errors = new ErrorList()
    yield* checkDefaults(errors, asSchema(schema), at, work)
    return errors.all
  },
  *rules(schema, at, form) {
    const errors = new ErrorList()
    yield* checkRules(errors, asSchema(schema), at, form, work)
    return errors.all
  }
})
