import {
  type MakeExpressions,
  mutatingAdmissionPolicyRules,
  mutatingWebhookRules,
  validatingAdmissionPolicyRules,
  validatingWebhookRules
} from "@rollcall/api/validation"
import { lazily } from "@rollcall/time"
import type { KindDefinition } from "../core/registry/KindDefinition.ts"
import { type LazyRules, withLazyRules } from "../core/registry/lazyRules.ts"
import type { KindTable } from "../core/registry/table.ts"

const loadExpressions = lazily(() => import("@rollcall/dynamic-admission/expressions"))

/** Returns a definition whose objects are valid only if their expressions are. */
const withExpressions = (definition: KindDefinition, rulesOf: (make: MakeExpressions) => LazyRules): KindDefinition =>
  withLazyRules(definition, function* () {
    const { makeExpressions } = yield* loadExpressions()
    return rulesOf(makeExpressions)
  })

/** Returns the table of kinds with the validation of the expressions of policies and webhooks. */
export const defineExpressions = (table: KindTable): KindTable => ({
  ...table,
  ValidatingAdmissionPolicy: withExpressions(table.ValidatingAdmissionPolicy, validatingAdmissionPolicyRules),
  MutatingAdmissionPolicy: withExpressions(table.MutatingAdmissionPolicy, mutatingAdmissionPolicyRules),
  ValidatingWebhookConfiguration: withExpressions(table.ValidatingWebhookConfiguration, validatingWebhookRules),
  MutatingWebhookConfiguration: withExpressions(table.MutatingWebhookConfiguration, mutatingWebhookRules)
})
