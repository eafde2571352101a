import { internalError, type KubeObject, type MutatingWebhook, type Status } from "@rollcall/api"
import { applyJsonPatch } from "@rollcall/api/patch"
import { sameValue } from "@rollcall/api/values"
import { parseJson, withNullsAsSent } from "@rollcall/api/wire"
import { type Steps, waitFor } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AdmissionAttributes, Reinvocation } from "../attributes.ts"
import { patchedInSteps } from "../patched.ts"
import type { AdmissionKind } from "../ports.ts"
import { reinvocationOf } from "../reinvocation.ts"
import { inVersion, type Subject, subjectOf } from "../Subject.ts"
import { noteFailedOpen, noteMutation, notePatch } from "./annotations.ts"
import { type Called, type Caller, callFailure, callWebhook, type Failure, judge, ownFailure } from "./callWebhook.ts"
import type { Hook } from "./Hooks.ts"
import { invocationOf, prepareInvocation } from "./invocation.ts"
import type { ReviewResponse } from "./review.ts"

type Mutated = Result.Result<KubeObject | undefined, Status>

/**
 * Calls the mutating webhooks that handle a request, one after the other, each with the object as those before left it.
 * Upstream: plugin/webhook/mutating/dispatcher.go.
 */
export const mutate = function* (
  caller: Caller,
  attributes: AdmissionAttributes,
  hooks: ReadonlyArray<Hook>,
  reinvocation: Reinvocation
): Steps<Mutated> {
  const state = reinvocationOf(reinvocation, "MutatingAdmissionWebhook")
  if (reinvocation.isReinvoke && !sameValue(state.lastOutput, attributes.object)) state.requireReinvoking()
  let current = attributes
  for (const [index, { configuration, uid, webhook }] of hooks.entries()) {
    const subject = subjectOf(current, caller.source.registry)
    const unprepared = yield* prepareInvocation(webhook, subject, caller.source)
    if (unprepared !== undefined) return Result.fail(unprepared)
    const invocation = invocationOf(webhook, subject, caller.source)
    if (Result.isFailure(invocation)) return Result.fail(invocation.failure)
    const matched = invocation.success
    if (matched === undefined) continue
    // A webhook that was not called in the first round is not called in the second.
    if (reinvocation.isReinvoke && !state.shouldReinvoke(uid)) continue
    const startMs = caller.source.timers.now()
    const notes = attributes.exchange
    const noted = { round: reinvocation.isReinvoke ? 1 : 0, index, configuration, webhook: webhook.name }
    const called = yield* waitFor<Called>((done) => callWebhook(caller, webhook, subject, matched, true, notes, done))
    const patched: Result.Result<KubeObject | undefined, Failure> = Result.isFailure(called)
      ? Result.fail(called.failure)
      : yield* applyResponse(webhook, called.success, current, subject, matched, (operations) =>
          notePatch(notes, noted, operations)
        )
    const failure = Result.isFailure(patched) ? patched.failure : undefined
    const refusal = judge(caller, webhook, subject, "admit", failure, startMs)
    const object = Result.isSuccess(patched) ? patched.success : current.object
    const isChanged = !sameValue(object, current.object)
    noteMutation(notes, noted, isChanged)
    if (failure !== undefined && refusal === undefined) noteFailedOpen(notes, "mutation", noted)
    if (isChanged) {
      state.requireReinvoking()
      reinvocation.shouldReinvoke = true
      current = { ...current, object }
    }
    if (webhook.reinvocationPolicy === "IfNeeded") state.invoked(uid)
    if (refusal !== undefined) return Result.fail(refusal.status)
  }
  state.lastOutput = current.object
  return Result.succeed(current.object)
}

/** Returns the object after the patch of a response. */
const applyResponse = function* (
  webhook: MutatingWebhook,
  { patch, patchType }: ReviewResponse,
  attributes: AdmissionAttributes,
  subject: Subject,
  matched: AdmissionKind,
  note: (operations: ReadonlyArray<unknown>) => void
): Steps<Result.Result<KubeObject | undefined, Failure>> {
  if (patch === undefined) return Result.succeed(attributes.object)
  const operations = parsePatch(patch)
  if (typeof operations === "string") {
    return Result.fail(callFailure(webhook, `received undecodable patch in webhook response: ${operations}`, 503))
  }
  if (operations.length === 0) return Result.succeed(attributes.object)
  const { object } = inVersion(subject, matched)
  if (object === undefined) {
    const why = `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`
    return Result.fail(ownFailure(internalError(why)))
  }
  if (patchType !== "JSONPatch") {
    return Result.fail(callFailure(webhook, `unsupported patch type ${JSON.stringify(patchType)}`, 400))
  }
  const patched = applyJsonPatch(withNullsAsSent(object), operations)
  if (Result.isFailure(patched)) return Result.fail(ownFailure(internalError(patched.failure.message)))
  const changed = yield* patchedInSteps(patched.success, attributes, subject, matched)
  if (Result.isSuccess(changed)) note(operations)
  return Result.mapError(changed, (failure) =>
    ownFailure("status" in failure ? failure.status : internalError(failure.fault))
  )
}

/** Returns the operations of a patch, or why they cannot be read. */
const parsePatch = (text: string): ReadonlyArray<unknown> | string => {
  const parsed = parseJson(text)
  if (Result.isFailure(parsed)) return parsed.failure
  if (parsed.success === null) return []
  if (Array.isArray(parsed.success)) return parsed.success
  return `json: cannot unmarshal ${jsonKindOf(parsed.success)} into Go value of type jsonpatch.Patch`
}

const jsonKindOf = (value: unknown): string => (typeof value === "boolean" ? "bool" : typeof value)
