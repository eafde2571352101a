import { lazily } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AdmissionAttributes } from "../attributes.ts"
import { isHandledByPolicies } from "../handled.ts"
import { matchResources } from "../match/matchResources.ts"
import type { AdmissionSource, DynamicPlugin } from "../ports.ts"
import { prepareVersion, subjectOf } from "../Subject.ts"
import { PolicyHooks } from "./PolicyHooks.ts"

const loadMutate = lazily(() => import("./mutate.ts"))

/** Applies MutatingAdmissionPolicies. Upstream: plugin/policy/mutating. */
export const mutatingAdmissionPolicy = (source: AdmissionSource): DynamicPlugin => {
  const hooks = new PolicyHooks(source.registry, "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding")
  return {
    name: "MutatingAdmissionPolicy",
    admits: (_kind, verb) => verb !== "delete",
    isIdle: () => hooks.isEmpty,
    *mutate(attributes, reinvocation) {
      if (!isHandledByPolicies(attributes.resource)) return Result.succeed(attributes.object)
      const { mutate } = yield* loadMutate()
      return mutate(attributes, hooks.all, source, reinvocation)
    }
  }
}

const noNotes = { warn: () => undefined, annotate: () => undefined }

const loadValidate = lazily(() => import("./validate.ts"))

/** Evaluates ValidatingAdmissionPolicies. Upstream: plugin/policy/validating. */
export const validatingAdmissionPolicy = (source: AdmissionSource): DynamicPlugin => {
  const hooks = new PolicyHooks(source.registry, "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
  return {
    name: "ValidatingAdmissionPolicy",
    admits: () => true,
    isIdle: () => hooks.isEmpty,
    *validate(attributes: AdmissionAttributes) {
      if (!isHandledByPolicies(attributes.resource)) return undefined
      const { validate } = yield* loadValidate()
      const subject = subjectOf(attributes, source.registry)
      if (subject.definition.view?.called !== undefined) {
        for (const { policy } of hooks.all) {
          const match = matchResources(policy.spec?.matchConstraints ?? {}, subject, source.registry)
          const matched = Result.isSuccess(match) ? match.success : undefined
          const refusal = matched && (yield* prepareVersion(subject, matched))
          if (refusal !== undefined) return refusal
        }
      }
      return validate(subject, hooks.all, source, attributes.exchange ?? noNotes)
    }
  }
}
