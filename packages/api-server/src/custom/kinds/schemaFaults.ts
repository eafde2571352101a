import type { CustomResourceDefinition } from "@rollcall/api"
import {
  type DeepChecks,
  type DefinedSchema,
  definedSchemaFaults,
  definedSchemas,
  ErrorList,
  type FieldErrors
} from "@rollcall/api/validation"
import { sameValue } from "@rollcall/api/values"
import { compilePattern, compileSteps, PatternFault } from "@rollcall/cel"
import { runAllSteps, type Steps } from "@rollcall/time"
import { checkRules } from "../rules/ruleFaults.ts"
import { asSchema } from "../schema/JsonSchema.ts"
import { FAULT_STEPS, VISIT_STEPS, Work, WorkExceeded } from "../work/Work.ts"
import { checkDefaults } from "./defaultFaults.ts"

/** The errors of each schema of a definition, by its path. */
export type FaultsBySchema = ReadonlyMap<string, FieldErrors>

/**
 * Returns the errors in the schemas of a definition. Patterns, defaults and rules of a schema that a version already has
 * are not checked again.
 */
export const schemaFaultsInSteps = function* (
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

/** Does the work of `schemaFaultsInSteps` in one piece, without pauses. */
export const schemaFaults = (...of: Parameters<typeof schemaFaultsInSteps>): FieldErrors =>
  [...runAllSteps(schemaFaultsInSteps(...of)).values()].flat()

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
