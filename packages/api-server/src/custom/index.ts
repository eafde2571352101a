import type { CustomResourcesPlan } from "../core/ports/CustomResources.ts"
import { checkExpression } from "./deviceSelectors.ts"
import { CustomKinds } from "./kinds/CustomKinds.ts"
import { definitionRules } from "./kinds/definitionRules.ts"
import { planOf } from "./planOf.ts"

export type { CustomResourcesPlan } from "../core/ports/CustomResources.ts"

/**
 * The plan for `ApiServer.layer` that serves custom resources with several versions, schemas, CEL rules, status and
 * scale; it calls no conversion webhooks. All of it is loaded, so that it waits for nothing but the store: in virtual time, use
 * this one.
 */
export const customResources: CustomResourcesPlan = planOf({
  definitionRules: () => definitionRules,
  checkExpression: () => checkExpression,
  start: (core, ready) => new CustomKinds(core).start(ready)
})
