import {
  forbidden,
  type KubeObject,
  type Namespace,
  notFound,
  type Status,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding
} from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionExchange } from "../attributes.ts"
import { Checks } from "../cel/authorizer.ts"
import type { Inputs } from "../cel/Evaluation.ts"
import { requestValue } from "../cel/request.ts"
import { matchResources } from "../match/matchResources.ts"
import type { AdmissionKind, AdmissionSource } from "../ports.ts"
import { inVersion, metadataOf, type Subject } from "../Subject.ts"
import type { Hook } from "./PolicyHooks.ts"
import { collectParams, paramStateOf } from "./params.ts"
import { type PolicyResult, ValidatingPolicy } from "./ValidatingPolicy.ts"

type ValidatingHook = Hook<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>

/** A denial with the policy and, if it is known, the binding. */
interface Denied {
  readonly policy: string
  readonly binding?: string
  readonly message: string
  readonly reason: string
}

/** Where the warnings of a request and the annotations of its audit go. */
export type Notes = Pick<AdmissionExchange, "annotate" | "warn">

/** What validating one request gathers. */
interface Work {
  readonly source: AdmissionSource
  readonly checks: Checks
  readonly denied: Array<Denied>
  readonly notes: Notes
}

const FAILURE_KEY = "validation.policy.admission.k8s.io/validation_failure"
const MAX_ANNOTATION_BYTES = 10 * 1024

const compiled = new WeakMap<ValidatingAdmissionPolicy, ValidatingPolicy>()

const compiledPolicy = (policy: ValidatingAdmissionPolicy): ValidatingPolicy => {
  const known = compiled.get(policy) ?? new ValidatingPolicy(policy)
  compiled.set(policy, known)
  return known
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ""

const isWithin = ({ namespace, resource }: Subject): boolean =>
  namespace !== "" && (resource.group !== "" || resource.resource !== "namespaces")

/** Returns the refusal of a request within a namespace that does not exist. */
export const missingNamespace = (subject: Subject, { registry }: AdmissionSource): Status | undefined => {
  const { namespace } = subject
  if (!isWithin(subject) || registry.kinds.Namespace.cache.get("", namespace) !== undefined) return undefined
  return notFound({ group: "", resource: "namespaces" }, namespace)
}

/** Returns the namespace of a request, as expressions see it. */
export const namespaceObjectOf = (subject: Subject, source: AdmissionSource): KubeObject | undefined => {
  if (!isWithin(subject)) return undefined
  const { namespace } = subject
  const found = source.registry.kinds.Namespace.cache.get("", namespace)?.object as Namespace | undefined
  if (found === undefined) return undefined
  const { managedFields: _fields, ownerReferences: _owners, ...metadata } = found.metadata
  return { ...found, metadata }
}

/** Returns what the expressions of a policy read of a request that matches in a definition's version. */
export const inputsOf = (
  subject: Subject,
  matched: AdmissionKind,
  source: AdmissionSource,
  variables: Inputs["variables"],
  checks: Checks
): Inputs => ({
  subject,
  ...inVersion(subject, matched),
  request: requestValue(subject, matched),
  params: undefined,
  namespaceObject: namespaceObjectOf(subject, source),
  checks,
  variables
})

/**
 * Evaluates the validating policies that match a request. Returns the refusal of the first denial. Upstream:
 * plugin/policy/validating/dispatcher.go.
 */
export const validate = (
  subject: Subject,
  hooks: ReadonlyArray<ValidatingHook>,
  source: AdmissionSource,
  notes: Notes
): Status | undefined => {
  const denied: Array<Denied> = []
  const checks = new Checks(source.authorizer, subject.userInfo)
  for (const hook of hooks) {
    const missing = validateHook(subject, hook, { source, checks, denied, notes })
    if (missing !== undefined) return missing
  }
  const [first] = denied
  return first === undefined ? undefined : refusalOf(subject, first)
}

/** Evaluates one policy; returns the refusal for a namespace that does not exist, whatever the policy says of failures. */
const validateHook = (subject: Subject, { bindings, policy }: ValidatingHook, work: Work): Status | undefined => {
  const { checks, denied, source } = work
  const { failurePolicy, matchConstraints = {}, paramKind } = policy.spec ?? {}
  const name = nameOf(policy)
  const configurationFault = (message: string, binding?: string) => {
    if (failurePolicy === "Ignore") return
    const what = binding === undefined ? "policy" : "binding"
    const fault = { policy: name, message: `failed to configure ${what}: ${message}`, reason: "" }
    denied.push(binding === undefined ? fault : { ...fault, binding })
  }
  const match = matchResources(matchConstraints, subject, source.registry)
  if (Result.isFailure(match)) {
    configurationFault(match.failure.message ?? "")
    return undefined
  }
  const matched = match.success
  if (matched === undefined) return undefined
  const params = paramKind && paramStateOf(source.registry, paramKind)
  if (params !== undefined && Result.isFailure(params)) {
    configurationFault(params.failure)
    return undefined
  }
  const evaluator = compiledPolicy(policy)
  const values = new Map<string, Set<string>>()
  let inputs: Inputs | undefined
  for (const binding of bindings) {
    const { matchResources: restriction, paramRef } = binding.spec ?? {}
    const bound = restriction && matchResources(restriction, subject, source.registry)
    if (bound !== undefined && Result.isFailure(bound)) {
      configurationFault(bound.failure.message ?? "", nameOf(binding))
      continue
    }
    if (bound !== undefined && bound.success === undefined) continue
    const found = collectParams(params?.success, paramRef, subject.namespace)
    if (Result.isFailure(found)) {
      configurationFault(found.failure, nameOf(binding))
      continue
    }
    const missing = missingNamespace(subject, source)
    if (missing !== undefined) return missing
    for (const each of found.success) {
      inputs ??= inputsOf(subject, matched, source, evaluator.variables, checks)
      apply(evaluator.evaluate({ ...inputs, params: each }), name, binding, work, values)
    }
  }
  for (const [key, all] of values) work.notes.annotate(`${name}/${key}`, [...all].join(", "))
  return undefined
}

/** Does what a binding says of the denials of a policy, and adds the values of its annotations by their keys. */
const apply = (
  { annotations, denials }: PolicyResult,
  policy: string,
  binding: ValidatingAdmissionPolicyBinding,
  { denied, notes }: Work,
  values: Map<string, Set<string>>
): void => {
  const name = nameOf(binding)
  const { validationActions = [] } = binding.spec ?? {}
  for (const { index, message, reason } of denials) {
    for (const action of validationActions) {
      if (action === "Deny") denied.push({ policy, binding: name, message, reason })
      else if (action === "Warn") {
        notes.warn(`Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${name}': ${message}`)
      } else {
        const failure = { message, policy, binding: name, expressionIndex: index, validationActions }
        notes.annotate(FAILURE_KEY, JSON.stringify([failure]))
      }
    }
  }
  for (const { error, key, value } of annotations) {
    if (error !== undefined) denied.push({ policy, binding: name, message: error, reason: "" })
    if (value === undefined) continue
    const known = values.get(key)
    const cut = Buffer.from(value).subarray(0, MAX_ANNOTATION_BYTES).toString()
    if (known === undefined) values.set(key, new Set([cut]))
    else known.add(cut)
  }
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 }

const refusalOf = (subject: Subject, { binding, message, policy, reason }: Denied): Status => {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`
  const status = admissionForbidden(subject, text)
  return {
    ...status,
    reason: (reason || "Invalid") as NonNullable<Status["reason"]>,
    code: codes[reason] ?? 422,
    details: { ...status.details, causes: [{ message: text }] }
  }
}

/** Returns the error of admission. Upstream: apiserver/pkg/admission/errors.go, NewForbidden. */
export const admissionForbidden = (subject: Subject, text: string): Status => {
  const { group, resource } = subject.resource
  const metadata = metadataOf(subject.object)
  const name = subject.name || metadata?.name || metadata?.generateName || "Unknown"
  return forbidden({ group, resource }, name, text)
}
