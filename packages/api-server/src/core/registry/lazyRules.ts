import type { KubeObject } from "@rollcall/api"
import type { FieldErrors } from "@rollcall/api/validation"
import { isSteps, type MaybeSteps, type Steps } from "@rollcall/time"
import type { KindDefinition } from "./KindDefinition.ts"

/** How objects of one kind are validated. `never` is the kind: the registry calls it with nothing else. */
export interface LazyRules {
  readonly create: (object: never) => MaybeSteps<FieldErrors>
  readonly update: (object: never, stored: never) => MaybeSteps<FieldErrors>
}

/** Returns a definition whose rules load with the first object that is written, because few servers need them. */
export const withLazyRules = (definition: KindDefinition, load: () => MaybeSteps<LazyRules>): KindDefinition => ({
  ...definition,
  validateInSteps: (object, stored, subresource) =>
    stored !== undefined && subresource === "status"
      ? definition.validateStatusUpdate(object, stored)
      : validateInSteps(load, object, stored)
})

const validateInSteps = function* (
  load: () => MaybeSteps<LazyRules>,
  object: KubeObject,
  stored: KubeObject | undefined
): Steps<FieldErrors> {
  const loading = load()
  const { create, update } = isSteps(loading) ? yield* loading : loading
  const errors = stored === undefined ? create(object as never) : update(object as never, stored as never)
  return isSteps(errors) ? yield* errors : errors
}
