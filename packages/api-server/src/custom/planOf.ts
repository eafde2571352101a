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
import { formatWarnings } from "./kinds/formatWarnings.ts"

/** What a plan is made of, and when its parts load. */
export interface PlanParts {
  readonly definitionRules: () => MaybeSteps<LazyRules>
  /** Why expressions that select devices are not valid. */
  readonly checkExpression: () => MaybeSteps<CheckExpression>
  readonly start: CustomResourcesPlan["start"]
}

const hooks: Strategy<CustomResourceDefinition> = {
  beginDeletion,
  warnings: formatWarnings
}

/** Returns the plan that these parts make. */
export const planOf = ({ checkExpression, definitionRules, start }: PlanParts): CustomResourcesPlan => {
  const withSchemas = (definition: KindDefinition): KindDefinition =>
    withLazyRules({ ...definition, strategy: { ...definition.strategy, ...(hooks as Strategy) } }, definitionRules)
  const withSelectors = (definition: KindDefinition, rulesOf: (check: CheckExpression) => LazyRules): KindDefinition =>
    withLazyRules(definition, function* () {
      const check = checkExpression()
      return rulesOf(isSteps(check) ? yield* check : check)
    })
  return {
    define: (table) => ({
      ...table,
      CustomResourceDefinition: withSchemas(table.CustomResourceDefinition),
      DeviceClass: withSelectors(table.DeviceClass, deviceClassRules),
      ResourceClaim: withSelectors(table.ResourceClaim, resourceClaimRules),
      ResourceClaimTemplate: withSelectors(table.ResourceClaimTemplate, resourceClaimTemplateRules)
    }),
    start
  }
}
