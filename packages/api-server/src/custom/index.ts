import type { CustomResourceDefinition, KubeObject } from "@rollcall/api"
import type { FieldErrors } from "@rollcall/api/validation"
import type { CustomResourcesPlan } from "../core/ports/CustomResources.ts"
import type { Strategy } from "../core/registry/KindDefinition.ts"
import { type MaybeSteps, runAllSteps } from "../core/turns/Steps.ts"
import { CustomKinds } from "./kinds/CustomKinds.ts"
import { withCleanup } from "./kinds/cleaning.ts"
import { schemaFaultsInSteps } from "./kinds/schemaFaults.ts"
import { ruleWarnings } from "./rules/ruleFaults.ts"

export type { CustomResourcesPlan } from "../core/ports/CustomResources.ts"

const hooks: Strategy<CustomResourceDefinition> = { prepareForDelete: withCleanup, warnings: ruleWarnings }

/** Returns the errors of a definition's structure; only without any, those of its schemas. */
const orSchemaFaults = (errors: FieldErrors, object: KubeObject, stored?: KubeObject): MaybeSteps<FieldErrors> =>
  errors.length > 0
    ? errors
    : schemaFaultsInSteps(object as CustomResourceDefinition, stored as CustomResourceDefinition | undefined)

/**
 * The plan for `ApiServer.layer` that serves custom resources with several versions, schemas, CEL rules, status and
 * scale; no conversion webhooks.
 */
export const customResources: CustomResourcesPlan = {
  define: (definition) => ({
    ...definition,
    strategy: { ...definition.strategy, ...(hooks as Strategy) },
    validate: (object) => runAllSteps(orSchemaFaults(definition.validate(object), object)),
    validateUpdate: (object, stored) =>
      runAllSteps(orSchemaFaults(definition.validateUpdate(object, stored), object, stored)),
    validateInSteps: (object, stored, subresource) => {
      if (stored === undefined) return orSchemaFaults(definition.validate(object), object)
      return subresource === "status"
        ? definition.validateStatusUpdate(object, stored)
        : orSchemaFaults(definition.validateUpdate(object, stored), object, stored)
    }
  }),
  start: (core, ready) => new CustomKinds(core).start(ready)
}
