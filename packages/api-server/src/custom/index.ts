import type { CustomResourceDefinition } from "@rollcall/api"
import type { Strategy } from "../registry/KindDefinition.ts"
import { CustomKinds } from "./CustomKinds.ts"
import { heldForCleanup } from "./cleanup.ts"
import type { CustomResourcesPlan } from "./plan.ts"
import { ruleWarnings } from "./ruleWarnings.ts"

export type { CustomResourcesPlan } from "./plan.ts"

const hooks: Strategy<CustomResourceDefinition> = { prepareForDelete: heldForCleanup, warnings: ruleWarnings }

/** For `ApiServer.layer`: custom resources with several versions, schemas, CEL rules, status and scale; no conversion webhooks. */
export const customResources: CustomResourcesPlan = {
  define: (definition) => ({ ...definition, strategy: { ...definition.strategy, ...(hooks as Strategy) } }),
  start: (core, ready) => new CustomKinds(core).start(ready)
}
