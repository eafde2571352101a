import { type Configuration, noExemptions, privilegedPolicy } from "@rollcall/pod-security"
import type { Steps } from "@rollcall/time"
import type { AdmissionAttributes } from "../../core/admission/Admission.ts"
import { type Response, validateController, validatePod } from "./decide.ts"
import type { Rules } from "./Rules.ts"
import { validateNamespaceInSteps } from "./validateNamespace.ts"

const defaults: Configuration = { defaults: privilegedPolicy, exemptions: noExemptions }

/** Decides about a write of a namespace, a pod or a workload. */
export const decideInSteps = function* (
  { configuration = defaults, ...rest }: Omit<Rules, "configuration"> & { readonly configuration?: Configuration },
  attributes: AdmissionAttributes
): Steps<Response> {
  const rules = { configuration, ...rest }
  if (attributes.kind === "Namespace") return yield* validateNamespaceInSteps(rules, attributes)
  return attributes.kind === "Pod" ? validatePod(rules, attributes) : validateController(rules, attributes)
}
