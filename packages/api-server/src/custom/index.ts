import type { CustomResourceDefinition, KubeObject } from "@rollcall/api"
import type { FieldErrors } from "@rollcall/api/validation"
import { finished, type MaybeSteps } from "../pipeline/Steps.ts"
import type { Strategy } from "../registry/KindDefinition.ts"
import { CustomKinds } from "./CustomKinds.ts"
import { heldForCleanup } from "./cleanup.ts"
import type { CustomResourcesPlan } from "./plan.ts"
import { ruleWarnings } from "./ruleWarnings.ts"
import { findingSchemaFaults } from "./schemaFaults.ts"

export type { CustomResourcesPlan } from "./plan.ts"

const hooks: Strategy<CustomResourceDefinition> = { prepareForDelete: heldForCleanup, warnings: ruleWarnings }

/** A definition whose structure is unsound is not looked into. */
const orSchemaFaults = (errors: FieldErrors, object: KubeObject, stored?: KubeObject): MaybeSteps<FieldErrors> =>
  errors.length > 0
    ? errors
    : findingSchemaFaults(object as CustomResourceDefinition, stored as CustomResourceDefinition | undefined)

/** For `ApiServer.layer`: custom resources with several versions, schemas, CEL rules, status and scale; no conversion webhooks. */
export const customResources: CustomResourcesPlan = {
  define: (definition) => ({
    ...definition,
    strategy: { ...definition.strategy, ...(hooks as Strategy) },
    validate: (object) => finished(orSchemaFaults(definition.validate(object), object)),
    validateUpdate: (object, stored) =>
      finished(orSchemaFaults(definition.validateUpdate(object, stored), object, stored)),
    judging: (object, stored, subresource) => {
      if (stored === undefined) return orSchemaFaults(definition.validate(object), object)
      return subresource === "status"
        ? definition.validateStatusUpdate(object, stored)
        : orSchemaFaults(definition.validateUpdate(object, stored), object, stored)
    }
  }),
  start: (core, ready) => new CustomKinds(core).start(ready)
}
