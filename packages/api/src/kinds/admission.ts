import * as defaults from "../defaulting/admissionregistration.ts"
import * as objects from "../objects/AdmissionRegistration.ts"
import { mutatingBindingRules, validatingBindingRules } from "../validation/admission/bindings.ts"
import { mutatingAdmissionPolicyRules, validatingAdmissionPolicyRules } from "../validation/admission/policies.ts"
import { mutatingWebhookRules, validatingWebhookRules } from "../validation/admission/webhooks.ts"
import { staticNameWarnings } from "../warnings/admission.ts"
import { kind } from "./Kind.ts"

/** Upstream: pkg/apis/admissionregistration. */

export const validatingAdmissionPolicies = kind<objects.ValidatingAdmissionPolicy>(objects.ValidatingAdmissionPolicy, {
  scope: "Cluster",
  categories: ["api-extensions"],
  defaults: defaults.defaultValidatingAdmissionPolicy,
  validation: validatingAdmissionPolicyRules(),
  warnings: staticNameWarnings
})

export const validatingAdmissionPolicyBindings = kind<objects.ValidatingAdmissionPolicyBinding>(
  objects.ValidatingAdmissionPolicyBinding,
  {
    scope: "Cluster",
    categories: ["api-extensions"],
    defaults: defaults.defaultValidatingAdmissionPolicyBinding,
    validation: validatingBindingRules,
    warnings: staticNameWarnings
  }
)

export const mutatingAdmissionPolicies = kind<objects.MutatingAdmissionPolicy>(objects.MutatingAdmissionPolicy, {
  scope: "Cluster",
  categories: ["api-extensions"],
  defaults: defaults.defaultMutatingAdmissionPolicy,
  validation: mutatingAdmissionPolicyRules(),
  warnings: staticNameWarnings
})

export const mutatingAdmissionPolicyBindings = kind<objects.MutatingAdmissionPolicyBinding>(
  objects.MutatingAdmissionPolicyBinding,
  {
    scope: "Cluster",
    categories: ["api-extensions"],
    defaults: defaults.defaultMutatingAdmissionPolicyBinding,
    validation: mutatingBindingRules,
    warnings: staticNameWarnings
  }
)

export const validatingWebhookConfigurations = kind<objects.ValidatingWebhookConfiguration>(
  objects.ValidatingWebhookConfiguration,
  {
    scope: "Cluster",
    categories: ["api-extensions"],
    defaults: defaults.defaultValidatingWebhookConfiguration,
    validation: validatingWebhookRules(),
    warnings: staticNameWarnings
  }
)

export const mutatingWebhookConfigurations = kind<objects.MutatingWebhookConfiguration>(
  objects.MutatingWebhookConfiguration,
  {
    scope: "Cluster",
    categories: ["api-extensions"],
    defaults: defaults.defaultMutatingWebhookConfiguration,
    validation: mutatingWebhookRules(),
    warnings: staticNameWarnings
  }
)
