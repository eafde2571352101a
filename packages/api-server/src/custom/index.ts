import type { CustomResourceDefinition, KubeObject } from "@rollcall/api"
import {
  type FieldErrors,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionUpdate
} from "@rollcall/api/validation"
import { runAllSteps, type Steps } from "@rollcall/time"
import type { CustomResourcesPlan } from "../core/ports/CustomResources.ts"
import type { KindDefinition, Strategy } from "../core/registry/KindDefinition.ts"
import { CustomKinds } from "./kinds/CustomKinds.ts"
import { beginDeletion } from "./kinds/cleaning.ts"
import { formatWarnings } from "./kinds/formatWarnings.ts"
import { schemaFaultsInSteps } from "./kinds/schemaFaults.ts"
import { deviceKinds } from "./rules/deviceSelectors.ts"

export type { CustomResourcesPlan } from "../core/ports/CustomResources.ts"

const hooks: Strategy<CustomResourceDefinition> = {
  beginDeletion,
  warnings: formatWarnings
}

const validateInSteps = function* (object: KubeObject, before?: KubeObject): Steps<FieldErrors> {
  const definition = object as CustomResourceDefinition
  const stored = before as CustomResourceDefinition | undefined
  const faults = yield* schemaFaultsInSteps(definition, stored)
  const faultsOf = ({ at }: { readonly at: string }) => faults.get(at) ?? []
  return stored === undefined
    ? validateCustomResourceDefinition(definition, faultsOf)
    : validateCustomResourceDefinitionUpdate(definition, stored, faultsOf)
}

const withSchemas = (definition: KindDefinition): KindDefinition => ({
  ...definition,
  strategy: { ...definition.strategy, ...(hooks as Strategy) },
  validate: (object) => runAllSteps(validateInSteps(object)),
  validateUpdate: (object, stored) => runAllSteps(validateInSteps(object, stored)),
  validateInSteps: (object, stored, subresource) =>
    stored !== undefined && subresource === "status"
      ? definition.validateStatusUpdate(object, stored)
      : validateInSteps(object, stored)
})

/**
 * The plan for `ApiServer.layer` that serves custom resources with several versions, schemas, CEL rules, status and
 * scale; no conversion webhooks.
 */
export const customResources: CustomResourcesPlan = {
  define: (table) => ({
    ...table,
    ...deviceKinds(table),
    CustomResourceDefinition: withSchemas(table.CustomResourceDefinition)
  }),
  start: (core, ready) => new CustomKinds(core).start(ready)
}
