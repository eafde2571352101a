import type { Status } from "@rollcall/api"
import { type Steps, waitFor } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AdmissionKind } from "../ports.ts"
import type { Subject } from "../Subject.ts"
import { type Notes, noteFailedOpen } from "./annotations.ts"
import { type Caller, callWebhook, judge } from "./callWebhook.ts"
import type { Hook } from "./Hooks.ts"
import { invocationOf, prepareInvocation } from "./invocation.ts"

interface Invocation {
  readonly hook: Hook
  readonly matched: AdmissionKind
}

/**
 * Calls all validating webhooks that handle a request at the same time. Returns the first refusal. Upstream:
 * plugin/webhook/validating/dispatcher.go.
 */
export const validate = function* (
  caller: Caller,
  subject: Subject,
  hooks: ReadonlyArray<Hook>,
  notes: Notes | undefined
): Steps<Status | undefined> {
  const invocations: Array<Invocation> = []
  for (const hook of hooks) {
    const unprepared = yield* prepareInvocation(hook.webhook, subject, caller.source)
    if (unprepared !== undefined) return unprepared
    const invocation = invocationOf(hook.webhook, subject, caller.source)
    if (Result.isFailure(invocation)) return invocation.failure
    if (invocation.success !== undefined) invocations.push({ hook, matched: invocation.success })
  }
  if (invocations.length === 0) return undefined
  return yield* waitFor<Status | undefined>((done) => callAll(caller, subject, invocations, notes, done))
}

const callAll = (
  caller: Caller,
  subject: Subject,
  invocations: ReadonlyArray<Invocation>,
  notes: Notes | undefined,
  done: (refusal: Status | undefined) => void
): void => {
  let waiting = invocations.length
  let refusal: Status | undefined
  for (const [index, { hook, matched }] of invocations.entries()) {
    const { configuration, webhook } = hook
    const startMs = caller.source.timers.now()
    callWebhook(caller, webhook, subject, matched, false, notes, (called) => {
      const failure = Result.isFailure(called) ? called.failure : undefined
      const refused = judge(caller, webhook, subject, "validating", failure, startMs)
      if (failure !== undefined && refused === undefined)
        noteFailedOpen(notes, "validating", { round: 0, index, configuration, webhook: webhook.name })
      refusal ??= refused?.status
      if (--waiting === 0) done(refusal)
    })
  }
}
