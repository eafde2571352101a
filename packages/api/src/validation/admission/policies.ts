import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec
} from "../../objects/AdmissionRegistration.ts"
import { jsonPathFault } from "../../printing/JsonPath.ts"
import { checkConditions } from "../conditions.ts"
import type { ErrorList } from "../ErrorList.ts"
import { makeRules } from "../makeRules.ts"
import { isDNS1035Label, isDNS1123Subdomain } from "../names.ts"
import { semanticEqual } from "../semanticEqual.ts"
import type { Validation } from "../Validation.ts"
import { type Expressions, type MakeExpressions, unchecked } from "./Expressions.ts"
import * as expressions from "./expressionChecks.ts"
import { checkMatchResources, checkMutatingOperations, failurePolicies, reinvocationPolicies } from "./rules.ts"

/*
 * The validation of admission policies. Upstream: pkg/apis/admissionregistration/validation/validation.go.
 */

const checkParamKind = (errors: ErrorList, { apiVersion = "", kind = "" }: ParamKind, at: string): void => {
  const parts = apiVersion.split("/")
  if (apiVersion === "") errors.required(`${at}.apiVersion`)
  else if (parts.length > 2)
    errors.invalid(`${at}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)
  else {
    const [group = "", version = ""] = parts.length === 1 ? ["", parts[0]] : parts
    const groupFaults = group === "" ? [] : isDNS1123Subdomain(group)
    if (groupFaults.length > 0) errors.invalid(`${at}.apiVersion`, group, groupFaults.join(","))
    const versionFaults = version === "" ? ["version must be specified"] : isDNS1035Label(version)
    if (versionFaults.length > 0)
      errors.invalid(`${at}.apiVersion`, version === "" ? apiVersion : version, versionFaults.join(","))
  }
  const kindFaults = kind === "" ? [] : isDNS1035Label(kind.toLowerCase())
  if (kind === "") errors.required(`${at}.kind`)
  else if (kindFaults.length > 0) {
    errors.invalid(`${at}.kind`, kind, `may have mixed case, but should otherwise match: ${kindFaults.join(",")}`)
  }
}

type Spec = Omit<ValidatingAdmissionPolicySpec & MutatingAdmissionPolicySpec, "validations" | "mutations">

/** Checks what both kinds of policies have, before their expressions. */
const checkCommon = (
  errors: ErrorList,
  spec: Spec,
  old: Spec | undefined,
  compiled: Expressions,
  mutating: boolean
): void => {
  const { failurePolicy, matchConditions = [], matchConstraints, paramKind } = spec
  if (failurePolicy === undefined) errors.required("spec.failurePolicy")
  else if (!failurePolicies.includes(failurePolicy))
    errors.notSupported("spec.failurePolicy", failurePolicy, failurePolicies)
  if (paramKind !== undefined) checkParamKind(errors, paramKind, "spec.paramKind")
  if (matchConstraints === undefined) errors.required("spec.matchConstraints")
  else {
    checkMatchResources(errors, matchConstraints, "spec.matchConstraints")
    if ((matchConstraints.resourceRules ?? []).length === 0) errors.required("spec.matchConstraints.resourceRules")
    if (mutating) checkMutatingOperations(errors, matchConstraints, "spec.matchConstraints")
  }
  const sameConditions =
    old !== undefined &&
    semanticEqual(old.paramKind, paramKind) &&
    semanticEqual(old.matchConditions, spec.matchConditions)
  if (sameConditions) return
  const place = { at: "spec.matchConditions", params: paramKind !== undefined }
  expressions.checkMatchConditions(errors, matchConditions, compiled, place)
}

const checkVariables = (errors: ErrorList, { paramKind, variables = [] }: Spec, compiled: Expressions): void =>
  variables.forEach((variable, index) => {
    const use = { returns: "any", params: paramKind !== undefined, authorizer: true } as const
    expressions.checkVariable(errors, variable, compiled, use, `spec.variables[${index}]`)
  })

const maxAuditAnnotations = 20

const checkValidations = (
  errors: ErrorList,
  name: string,
  spec: ValidatingAdmissionPolicySpec,
  compiled: Expressions
): void => {
  const { auditAnnotations = [], validations = [] } = spec
  const params = spec.paramKind !== undefined
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const text = "validations or auditAnnotations must contain at least one item"
    errors.required("spec.validations", text)
    errors.required("spec.auditAnnotations", text)
    return
  }
  validations.forEach((validation, index) => {
    expressions.checkValidation(errors, validation, compiled, params, `spec.validations[${index}]`)
  })
  if (auditAnnotations.length > maxAuditAnnotations) {
    const text = `must not have more than ${maxAuditAnnotations} auditAnnotations`
    // Go's internal struct has no JSON names.
    const shown = auditAnnotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression }))
    errors.invalid("spec.auditAnnotations", shown, text)
  }
  const keys = new Set<string>()
  auditAnnotations.forEach((annotation, index) => {
    const at = `spec.auditAnnotations[${index}]`
    expressions.checkAuditAnnotation(errors, name, annotation, compiled, { at, params })
    if (keys.has(annotation.key)) errors.duplicate(`${at}.key`, annotation.key)
    keys.add(annotation.key)
  })
}

const checkFieldRef = (errors: ErrorList, fieldRef: string, at: string): void => {
  const fault = fieldRef === "" ? undefined : jsonPathFault(fieldRef)
  if (fieldRef === "") errors.required(at)
  else if (fault !== undefined) errors.invalid(at, fieldRef, `invalid JSONPath: ${fault}`)
}

const checkStatus = (errors: ErrorList, { status = {} }: ValidatingAdmissionPolicy): void => {
  status.typeChecking?.expressionWarnings?.forEach(({ fieldRef = "", warning = "" }, index) => {
    const at = `status.typeChecking.expressionWarnings[${index}]`
    if (warning === "") errors.required(`${at}.warning`)
    checkFieldRef(errors, fieldRef.trim(), `${at}.fieldRef`)
  })
  checkConditions(errors, status.conditions ?? [], "status.conditions")
}

export const validatingAdmissionPolicyRules = (
  makeExpressions: MakeExpressions = unchecked
): Validation<ValidatingAdmissionPolicy> =>
  makeRules<ValidatingAdmissionPolicy>("Cluster", {
    anyFinalizers: true,
    onUpdate: "object",
    check: (errors, { metadata, spec = {} }, old) => {
      const compiled = makeExpressions((spec.variables ?? []).length > 0)
      checkCommon(errors, spec, old?.spec, compiled, false)
      checkVariables(errors, spec, compiled)
      checkValidations(errors, metadata.name ?? "", spec, compiled)
    },
    status: checkStatus
  })

export const mutatingAdmissionPolicyRules = (
  makeExpressions: MakeExpressions = unchecked
): Validation<MutatingAdmissionPolicy> =>
  makeRules<MutatingAdmissionPolicy>("Cluster", {
    anyFinalizers: true,
    onUpdate: "object",
    check: (errors, { spec = {} }, old) => {
      const { mutations = [], paramKind, reinvocationPolicy = "" } = spec
      const compiled = makeExpressions(true)
      checkCommon(errors, spec, old?.spec, compiled, true)
      checkVariables(errors, spec, compiled)
      if (mutations.length === 0) errors.required("spec.mutations", "mutations must contain at least one item")
      mutations.forEach((mutation, index) => {
        expressions.checkMutation(errors, mutation, compiled, paramKind !== undefined, `spec.mutations[${index}]`)
      })
      if (reinvocationPolicy === "") errors.required("spec.reinvocationPolicy")
      else if (!reinvocationPolicies.includes(reinvocationPolicy))
        errors.notSupported("spec.reinvocationPolicy", reinvocationPolicy, reinvocationPolicies)
    }
  })
