import type {
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicyBinding
} from "../../objects/AdmissionRegistration.ts"
import type { ErrorList } from "../ErrorList.ts"
import { typed } from "../FieldError.ts"
import { validateLabelSelector } from "../labels.ts"
import { makeRules } from "../makeRules.ts"
import { nameIsDNSSubdomain, nameIsPathSegment } from "../names.ts"
import { checkMatchResources, checkMutatingOperations } from "./rules.ts"

/*
 * The validation of bindings of policies. Upstream: pkg/apis/admissionregistration/validation/validation.go.
 */

const notFoundActions = ["Deny", "Allow"]

const checkParamRef = (errors: ErrorList, reference: ParamRef, at: string): void => {
  const { name = "", parameterNotFoundAction = "", selector } = reference
  const exclusive = "name and selector are mutually exclusive"
  if (name !== "") {
    errors.invalidEach(`${at}.name`, name, nameIsPathSegment(name, false))
    if (selector !== undefined) errors.forbidden(`${at}.name`, exclusive)
  }
  if (selector !== undefined) {
    validateLabelSelector(errors, selector, `${at}.selector`)
    if (name !== "") errors.forbidden(`${at}.selector`, exclusive)
  }
  if (name === "" && selector === undefined) errors.required(at, "one of name or selector must be specified")
  if (parameterNotFoundAction === "") errors.required(`${at}.parameterNotFoundAction`)
  else if (!notFoundActions.includes(parameterNotFoundAction))
    errors.notSupported(`${at}.parameterNotFoundAction`, parameterNotFoundAction, notFoundActions)
}

const actions = ["Audit", "Deny", "Warn"]

const checkActions = (errors: ErrorList, given: ReadonlyArray<string>, at: string): void => {
  const seen = new Set<string>()
  given.forEach((action, index) => {
    if (!actions.includes(action)) errors.notSupported(`${at}[${index}]`, action, actions)
    if (seen.has(action)) errors.duplicate(`${at}[${index}]`, typed(action))
    seen.add(action)
  })
  if (seen.has("Deny") && seen.has("Warn")) {
    const text =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"
    errors.invalid(at, given, text)
  }
  if (given.length === 0) errors.required(at, "at least one validation action is required")
}

type BindingSpec = NonNullable<MutatingAdmissionPolicyBinding["spec"]>

const checkSpec = (errors: ErrorList, { matchResources, paramRef, policyName = "" }: BindingSpec): void => {
  if (policyName === "") errors.required("spec.policyName")
  else errors.invalidEach("spec.policyName", policyName, nameIsDNSSubdomain(policyName, false))
  if (paramRef !== undefined) checkParamRef(errors, paramRef, "spec.paramRef")
  if (matchResources !== undefined) checkMatchResources(errors, matchResources, "spec.matchResources")
}

export const validatingBindingRules = makeRules<ValidatingAdmissionPolicyBinding>("Cluster", {
  anyFinalizers: true,
  onUpdate: "object",
  check: (errors, { spec = {} }) => {
    checkSpec(errors, spec)
    checkActions(errors, spec.validationActions ?? [], "spec.validationActions")
  }
})

export const mutatingBindingRules = makeRules<MutatingAdmissionPolicyBinding>("Cluster", {
  anyFinalizers: true,
  onUpdate: "object",
  check: (errors, { spec = {} }) => {
    checkSpec(errors, spec)
    if (spec.matchResources !== undefined) checkMutatingOperations(errors, spec.matchResources, "spec.matchResources")
  }
})
