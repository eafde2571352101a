import type { KubeObject } from "@rollcall/api"
import type { FieldErrors } from "@rollcall/api/validation"
import {
  type MakeExpressions,
  mutatingAdmissionPolicyRules,
  mutatingWebhookRules,
  validatingAdmissionPolicyRules,
  validatingWebhookRules
} from "@rollcall/api/validation"
import type { Steps } from "@rollcall/time"
import type { KindDefinition } from "../core/registry/KindDefinition.ts"
import type { KindTable } from "../core/registry/table.ts"
import { lazily } from "./lazily.ts"

const loadExpressions = lazily(() => import("./cel/compileExpression.ts"))

interface Rules {
  readonly create: (object: never) => FieldErrors
  readonly update: (object: never, old: never) => FieldErrors
}

/** Returns a definition whose objects are valid only if their expressions are; the language loads with the first one. */
const withExpressions = (definition: KindDefinition, rulesOf: (make: MakeExpressions) => Rules): KindDefinition => ({
  ...definition,
  validateInSteps: (object, stored, subresource) =>
    stored !== undefined && subresource === "status"
      ? definition.validateStatusUpdate(object, stored)
      : validateInSteps(rulesOf, object, stored)
})

const validateInSteps = function* (
  rulesOf: (make: MakeExpressions) => Rules,
  object: KubeObject,
  stored: KubeObject | undefined
): Steps<FieldErrors> {
  const { makeExpressions } = yield* loadExpressions()
  const rules = rulesOf(makeExpressions)
  return stored === undefined ? rules.create(object as never) : rules.update(object as never, stored as never)
}

/** Returns the table of kinds with the validation of the expressions of policies and webhooks. */
export const defineExpressions = (table: KindTable): KindTable => ({
  ...table,
  ValidatingAdmissionPolicy: withExpressions(table.ValidatingAdmissionPolicy, validatingAdmissionPolicyRules),
  MutatingAdmissionPolicy: withExpressions(table.MutatingAdmissionPolicy, mutatingAdmissionPolicyRules),
  ValidatingWebhookConfiguration: withExpressions(table.ValidatingWebhookConfiguration, validatingWebhookRules),
  MutatingWebhookConfiguration: withExpressions(table.MutatingWebhookConfiguration, mutatingWebhookRules)
})
