import { definitionFaultsInSteps } from "@rollcall/structural-schema"
import type { LazyRules } from "../../core/registry/lazyRules.ts"
import { formatWarnings } from "./formatWarnings.ts"

/** How definitions are validated, and what clients are warned of. */
export interface DefinitionRules extends LazyRules {
  readonly warnings: typeof formatWarnings
}

/** The validation of definitions with their schemas, rules and defaults. */
export const definitionRules: DefinitionRules = {
  create: (definition) => definitionFaultsInSteps(definition),
  update: definitionFaultsInSteps,
  warnings: formatWarnings
}
