import type { CustomResourceDefinition } from "@rollcall/api"
import {
  type CheckExpression,
  deviceClassRules,
  resourceClaimRules,
  resourceClaimTemplateRules
} from "@rollcall/api/validation"
import { isSteps, type MaybeSteps } from "@rollcall/time"
import type { CustomResourcesPlan } from "../core/ports/CustomResources.ts"
import type { KindDefinition, Strategy } from "../core/registry/KindDefinition.ts"
import { type LazyRules, withLazyRules } from "../core/registry/lazyRules.ts"
import { beginDeletion } from "./kinds/cleaning.ts"
import type { DefinitionRules } from "./kinds/definitionRules.ts"

/** What a plan is made of, and when its parts load. */
export interface PlanParts {
  readonly definitionRules: () => MaybeSteps<DefinitionRules>
  /** Why expressions that select devices are not valid. */
  readonly checkExpression: () => MaybeSteps<CheckExpression>
  readonly start: CustomResourcesPlan["start"]
}

/** Returns the definition of definitions, whose rules load with the first one that is written. */
const withSchemas = (definition: KindDefinition, load: PlanParts["definitionRules"]): KindDefinition => {
  let loaded: DefinitionRules | undefined
  const loadRules = function* () {
    const rules = load()
    loaded = isSteps(rules) ? yield* rules : rules
    return loaded
  }
  const hooks: Strategy<CustomResourceDefinition> = {
    beginDeletion,
    // A client is warned only of what is valid, so that the rules are loaded by then.
    warnings: (object, stored) => loaded?.warnings(object, stored) ?? []
  }
  return withLazyRules({ ...definition, strategy: { ...definition.strategy, ...(hooks as Strategy) } }, loadRules)
}

/** Returns the plan that these parts make. */
export const planOf = ({ checkExpression, definitionRules, start }: PlanParts): CustomResourcesPlan => {
  const withSelectors = (definition: KindDefinition, rulesOf: (check: CheckExpression) => LazyRules): KindDefinition =>
    withLazyRules(definition, function* () {
      const check = checkExpression()
      return rulesOf(isSteps(check) ? yield* check : check)
    })
  return {
    define: (table) => ({
      ...table,
      CustomResourceDefinition: withSchemas(table.CustomResourceDefinition, definitionRules),
      DeviceClass: withSelectors(table.DeviceClass, deviceClassRules),
      ResourceClaim: withSelectors(table.ResourceClaim, resourceClaimRules),
      ResourceClaimTemplate: withSelectors(table.ResourceClaimTemplate, resourceClaimTemplateRules)
    }),
    start
  }
}
