import { definitionFaultsInSteps } from "@rollcall/structural-schema"
import type { LazyRules } from "../../core/registry/lazyRules.ts"

/** The validation of definitions with their schemas, rules and defaults. */
export const definitionRules: LazyRules = {
  create: (definition) => definitionFaultsInSteps(definition),
  update: definitionFaultsInSteps
}
