import type { AdmissionAttributes, ChainPlugin } from "../../core/admission/Admission.ts"
import type { DynamicAdmissionSource } from "../../core/ports/DynamicAdmission.ts"
import { isHandledByPolicies } from "../handled.ts"
import { lazily } from "../lazily.ts"
import { subjectOf } from "../Subject.ts"
import { PolicyHooks } from "./PolicyHooks.ts"

const loadValidate = lazily(() => import("./validate.ts"))

/** Evaluates ValidatingAdmissionPolicies. Upstream: plugin/policy/validating. */
export const validatingAdmissionPolicy = (source: DynamicAdmissionSource): ChainPlugin => {
  const hooks = new PolicyHooks(source.registry, "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
  return {
    name: "ValidatingAdmissionPolicy",
    admits: () => true,
    isIdle: () => hooks.isEmpty,
    *validate(attributes: AdmissionAttributes) {
      const subject = subjectOf(attributes, source.registry)
      if (!isHandledByPolicies(subject)) return undefined
      const { validate } = yield* loadValidate()
      return validate(subject, hooks.all, source, (text) => attributes.exchange?.warn(text))
    }
  }
}
