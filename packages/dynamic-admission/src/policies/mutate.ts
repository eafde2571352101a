import {
  internalError,
  type KubeObject,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  type Status
} from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import { structOf } from "@rollcall/field-ownership"
import * as Result from "effect/Result"
import type { AdmissionAttributes, Reinvocation } from "../attributes.ts"
import { Checks } from "../cel/authorizer.ts"
import { Evaluation, OutOfBudget } from "../cel/Evaluation.ts"
import { matchResources } from "../match/matchResources.ts"
import { messageOf, patchedObject } from "../patched.ts"
import type { AdmissionKind, AdmissionSource } from "../ports.ts"
import { reinvocationOf } from "../reinvocation.ts"
import { type GroupVersionKind, inVersion, kindIn, needsCall, type Subject, subjectOf } from "../Subject.ts"
import { documentOf } from "../unknownFields.ts"
import { applyConfiguration, applyOperations } from "./applyPatch.ts"
import { type CompiledMutation, MutatingPolicy } from "./MutatingPolicy.ts"
import type { Hook } from "./PolicyHooks.ts"
import { collectParams, paramStateOf } from "./params.ts"
import { admissionForbidden, inputsOf, missingNamespace } from "./validate.ts"

type MutatingHook = Hook<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding>

/** One evaluation of a policy: for a binding and an object of parameters. */
interface Invocation {
  readonly policy: MutatingAdmissionPolicy
  readonly binding: MutatingAdmissionPolicyBinding
  readonly matched: AdmissionKind
  readonly param: KubeObject | undefined
}

interface PolicyFault {
  readonly message: string
  readonly invalid: boolean
}

/** How much one mutation may cost. Upstream: apiserver/pkg/apis/cel/config.go. */
const BUDGET = 10_000_000

const compiled = new WeakMap<MutatingAdmissionPolicy, MutatingPolicy>()

const compiledPolicy = (policy: MutatingAdmissionPolicy): MutatingPolicy => {
  const known = compiled.get(policy) ?? new MutatingPolicy(policy)
  compiled.set(policy, known)
  return known
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ""

/** The faults of policies, without those of policies that ignore them. */
class Faults {
  readonly all: Array<PolicyFault> = []

  add(policy: MutatingAdmissionPolicy, binding: KubeObject | undefined, text: string, invalid: boolean): void {
    if (policy.spec?.failurePolicy === "Ignore") return
    const by =
      binding === undefined
        ? `policy ${JSON.stringify(nameOf(policy))}`
        : `policy '${nameOf(policy)}' with binding '${nameOf(binding)}'`
    this.all.push({ message: `${by} denied request: ${text}`, invalid })
  }

  /** Returns the refusal: the first fault is its message, all are its causes. */
  refusal(subject: Subject): Status | undefined {
    const [first] = this.all
    if (first === undefined) return undefined
    const status = admissionForbidden(subject, "")
    const causes = this.all.map(({ message }) => ({ message }))
    return {
      ...status,
      message: first.message,
      ...(first.invalid ? { reason: "Invalid" as const } : {}),
      details: { ...status.details, causes }
    }
  }
}

const invocationsOf = (
  subject: Subject,
  hooks: ReadonlyArray<MutatingHook>,
  source: AdmissionSource,
  faults: Faults
): ReadonlyArray<Invocation> => {
  const found: Array<Invocation> = []
  for (const { bindings, policy } of hooks) {
    const { matchConstraints = {}, paramKind } = policy.spec ?? {}
    const match = matchResources(matchConstraints, subject, source.registry)
    if (Result.isFailure(match)) {
      faults.add(policy, undefined, `failed to configure policy: ${match.failure.message}`, false)
      continue
    }
    const matched = match.success
    // These policies see objects of such kinds in the version of the request only.
    if (matched === undefined || needsCall(subject, matched)) continue
    const params = paramKind && paramStateOf(source.registry, paramKind)
    if (params !== undefined && Result.isFailure(params)) {
      faults.add(policy, undefined, `failed to configure policy: ${params.failure}`, false)
      continue
    }
    for (const binding of bindings) {
      const { matchResources: restriction, paramRef } = binding.spec ?? {}
      const bound = restriction && matchResources(restriction, subject, source.registry)
      if (bound !== undefined && Result.isSuccess(bound) && bound.success === undefined) continue
      const given = collectParams(params?.success, paramRef, subject.namespace)
      const fault =
        bound !== undefined && Result.isFailure(bound)
          ? bound.failure.message
          : Result.isFailure(given)
            ? given.failure
            : undefined
      if (fault !== undefined) faults.add(policy, binding, `failed to configure binding: ${fault}`, false)
      else if (Result.isSuccess(given)) {
        for (const param of given.success) found.push({ policy, binding, matched, param })
      }
    }
  }
  return found
}

/**
 * Whether the document of its group version has the schema of an object: not those of options, nor of what subresources of
 * other group versions take, such as Scale. Upstream: plugin/policy/mutating/patch/typeconverter.go.
 */
const isPublished = (subject: Subject, matched: AdmissionKind): boolean => {
  const { group, version } = kindIn(subject, matched)
  const { resource } = matched
  return subject.operation !== "CONNECT" && group === resource.group && version === resource.version
}

/** Says why a configuration cannot be applied to an object whose schema is not published. */
const untyped = ({ group, kind, version }: GroupVersionKind): string =>
  `error applying patch: failed to convert patch object to typed object: no corresponding type for ${group}/${version}, Kind=${kind}`

const isOther = (own: GroupVersionKind, asked: GroupVersionKind): boolean =>
  own.group !== asked.group || own.version !== asked.version

/**
 * Says why a built-in object that a policy has changed in another version than that of the request is not read: what
 * converts it knows no way from one version to another.
 */
const unconverted = (own: GroupVersionKind, asked: GroupVersionKind): string =>
  `converting (${own.version}.${own.kind}) to (${asked.version}.${asked.kind}): unknown conversion`

const unreadable = (failure: { readonly fault: string } | { readonly status: Status }) =>
  "status" in failure ? failure : { status: internalError(failure.fault) }

/** Evaluates one mutation, and returns the object after it. */
const applyMutation = (
  { expression, patchType }: CompiledMutation,
  attributes: AdmissionAttributes,
  { matched, param, policy }: Invocation,
  source: AdmissionSource,
  checks: Checks
): Result.Result<KubeObject, { readonly fault: string } | { readonly status: Status }> => {
  const subject = subjectOf(attributes, source.registry)
  const { object } = inVersion(subject, matched)
  const message = messageOf(subject, matched)
  if (object === undefined) return Result.succeed(attributes.object as KubeObject)
  const inputs = inputsOf(subject, matched, source, compiledPolicy(policy).variables, checks)
  try {
    const outcome = new Evaluation({ ...inputs, params: param }, BUDGET).evaluate(expression)
    if ("error" in outcome) return Result.fail({ fault: outcome.error })
    const isJsonPatch = patchType === "JSONPatch"
    const isCustom = message === matched.message
    const whole = isCustom ? (documentOf(attributes.object as KubeObject) ?? object) : object
    const document = isJsonPatch
      ? applyOperations(outcome.value, whole)
      : message === undefined || !isPublished(subject, matched)
        ? Result.fail(untyped(kindIn(subject, matched)))
        : applyConfiguration(outcome.value, object, structOf(message), isCustom ? whole : undefined)
    if (Result.isFailure(document)) return Result.fail({ fault: document.failure })
    const own = kindIn(subject, matched)
    if (message?.goPackage !== "unstructured" && isOther(own, subject.kind))
      return Result.fail({ fault: unconverted(own, subject.kind) })
    const patched = patchedObject(document.success, attributes, subject, matched, isJsonPatch)
    // Whatever the failure policy: what a JSON patch made cannot be read.
    return isJsonPatch ? Result.mapError(patched, unreadable) : patched
  } catch (error) {
    if (error instanceof OutOfBudget) return Result.fail({ fault: error.message })
    throw error
  }
}

/**
 * Changes the object of a request by the policies that match it, one after the other. Upstream:
 * plugin/policy/{generic/policy_dispatcher,mutating/dispatcher}.go.
 */
export const mutate = (
  attributes: AdmissionAttributes,
  hooks: ReadonlyArray<MutatingHook>,
  source: AdmissionSource,
  reinvocation: Reinvocation
): Result.Result<KubeObject | undefined, Status> => {
  const faults = new Faults()
  const subject = subjectOf(attributes, source.registry)
  const invocations = invocationsOf(subject, hooks, source, faults)
  const missing = invocations.length === 0 ? undefined : missingNamespace(subject, source)
  if (missing !== undefined) return Result.fail(missing)
  const state = reinvocationOf(reinvocation, "MutatingAdmissionPolicy")
  if (reinvocation.isReinvoke && !sameValue(state.lastOutput, attributes.object)) state.requireReinvoking()
  const checks = new Checks(source.authorizer, subject.userInfo)
  let current = attributes
  let isWritten = false
  for (const invocation of invocations) {
    const { binding, matched, param, policy } = invocation
    const evaluator = compiledPolicy(policy)
    const now = subjectOf(current, source.registry)
    const met = evaluator.matches({ ...inputsOf(now, matched, source, evaluator.variables, checks), params: param })
    if (typeof met !== "boolean") faults.add(policy, binding, met.error, true)
    if (met !== true) continue
    const key = `${nameOf(policy)}/${nameOf(binding)}/${param?.metadata.namespace ?? ""}/${param === undefined ? "" : nameOf(param)}`
    if (reinvocation.isReinvoke && !state.shouldReinvoke(key)) continue
    const before = current.object
    for (const mutation of evaluator.mutations) {
      if (current.object === undefined) break
      const changed = applyMutation(mutation, current, invocation, source, checks)
      if (Result.isSuccess(changed)) {
        current = { ...current, object: changed.success }
        isWritten = true
      } else if ("status" in changed.failure) return Result.fail(changed.failure.status)
      else faults.add(policy, binding, changed.failure.fault, true)
    }
    if (!sameValue(before, current.object)) {
      state.requireReinvoking()
      reinvocation.shouldReinvoke = true
    }
    if (policy.spec?.reinvocationPolicy === "IfNeeded") state.invoked(key)
  }
  // Each policy may run again once any has written the object, be it the same object: even the last one, for itself.
  if (isWritten) {
    state.requireReinvoking()
    reinvocation.shouldReinvoke = true
  }
  state.lastOutput = current.object
  const refusal = faults.refusal(subject)
  return refusal === undefined ? Result.succeed(current.object) : Result.fail(refusal)
}
