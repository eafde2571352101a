import { forbidden, type Status, type ValidatingWebhook } from "@rollcall/api"
import type { Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { Checks } from "../cel/authorizer.ts"
import type { Expression } from "../cel/compileExpression.ts"
import { requestValue } from "../cel/request.ts"
import { matchingDefinition } from "../match/matchRules.ts"
import { namespaceMatches, objectMatches } from "../match/selectors.ts"
import { compileConditions, evaluateConditions } from "../policies/conditions.ts"
import type { AdmissionKind, AdmissionSource } from "../ports.ts"
import { equivalentsOf, inVersion, prepareVersion, type Subject } from "../Subject.ts"

const compiled = new WeakMap<ValidatingWebhook, ReadonlyArray<Expression>>()

const conditionsOf = (webhook: ValidatingWebhook): ReadonlyArray<Expression> => {
  const known = compiled.get(webhook) ?? compileConditions(webhook.matchConditions ?? [], false)
  compiled.set(webhook, known)
  return known
}

/** Converts the objects of a request for a webhook, where that takes a call; returns the refusal. */
export const prepareInvocation = function* (
  { matchPolicy, rules = [] }: ValidatingWebhook,
  subject: Subject,
  { registry }: AdmissionSource
): Steps<Status | undefined> {
  if (subject.definition.view?.called === undefined) return undefined
  const equivalents = () => equivalentsOf(registry, subject.definition)
  const matched = matchingDefinition(rules, matchPolicy, subject, equivalents)
  return matched === undefined ? undefined : yield* prepareVersion(subject, matched)
}

/**
 * Returns the definition in whose version a webhook is called for a request; undefined if it is not called. Upstream:
 * plugin/webhook/generic/webhook.go, ShouldCallHook.
 */
export const invocationOf = (
  webhook: ValidatingWebhook,
  subject: Subject,
  source: AdmissionSource
): Result.Result<AdmissionKind | undefined, Status> => {
  const { failurePolicy, matchPolicy, namespaceSelector = {}, objectSelector = {}, rules = [] } = webhook
  const inNamespace = namespaceMatches(namespaceSelector, subject, source.registry)
  if (Result.isSuccess(inNamespace) && !inNamespace.success) return Result.succeed(undefined)
  if (!objectMatches(objectSelector, subject)) return Result.succeed(undefined)
  const equivalents = () => equivalentsOf(source.registry, subject.definition)
  const matched = matchingDefinition(rules, matchPolicy, subject, equivalents)
  if (matched === undefined) return Result.succeed(undefined)
  if (Result.isFailure(inNamespace)) return Result.fail(inNamespace.failure)
  const conditions = conditionsOf(webhook)
  if (conditions.length === 0) return Result.succeed(matched)
  const inputs = {
    subject,
    ...inVersion(subject, matched),
    request: { ...requestValue(subject, matched), resource: subject.resource },
    params: undefined,
    namespaceObject: undefined,
    checks: new Checks(source.authorizer, subject.userInfo),
    variables: new Map()
  }
  const met = evaluateConditions(conditions, inputs, failurePolicy)
  if (typeof met === "boolean") return Result.succeed(met ? matched : undefined)
  const { group, resource } = subject.resource
  return Result.fail(forbidden({ group, resource }, subject.name, met.error))
}
