import type { CustomResourceDefinition } from "@rollcall/api"
import {
  type FieldErrors,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionUpdate
} from "@rollcall/api/validation"
import type { Steps } from "@rollcall/time"
import type { LazyRules } from "../../core/registry/lazyRules.ts"
import { schemaFaultsInSteps } from "./schemaFaults.ts"

const validateInSteps = function* (
  definition: CustomResourceDefinition,
  stored: CustomResourceDefinition | undefined
): Steps<FieldErrors> {
  const faults = yield* schemaFaultsInSteps(definition, stored)
  const faultsOf = ({ at }: { readonly at: string }) => faults.get(at) ?? []
  return stored === undefined
    ? validateCustomResourceDefinition(definition, faultsOf)
    : validateCustomResourceDefinitionUpdate(definition, stored, faultsOf)
}

/** The validation of definitions with their schemas, rules and defaults. */
export const definitionRules: LazyRules = {
  create: (definition) => validateInSteps(definition, undefined),
  update: validateInSteps
}
