import { badRequest, internalError, type Status, type ValidatingWebhook } from "@rollcall/api"
import type { Fields } from "@rollcall/api/values"
import * as Result from "effect/Result"
import type { AdmissionKind, AdmissionSource, WebhookCaller } from "../ports.ts"
import type { Subject } from "../Subject.ts"
import { type Notes, noteAnswer } from "./annotations.ts"
import { decodingFault } from "./decodingFault.ts"
import { denialOf, type ReviewResponse, readResponse, reviewOf, reviewVersionOf } from "./review.ts"
import type { ErrorType, WebhookMetrics } from "./WebhookMetrics.ts"

/** What the calls of webhooks share. */
export interface Caller {
  readonly source: AdmissionSource
  readonly client: WebhookCaller
  readonly metrics: WebhookMetrics
}

/** Why a webhook does not let a request pass. */
export interface Failure {
  readonly errorType: ErrorType
  readonly code: number
  readonly status: Status
}

export type Called = Result.Result<ReviewResponse, Failure>

const DEFAULT_TIMEOUT_SECONDS = 10

/** Returns the failure of a call, to which the failure policy applies. Upstream: util/webhook/error.go. */
export const callFailure = ({ name }: ValidatingWebhook, reason: string, code: number): Failure => ({
  errorType: "calling_webhook_error",
  code,
  status: internalError(`failed calling webhook ${JSON.stringify(name)}: ${reason}`)
})

/** Returns a failure of the server itself, to which no failure policy applies. */
export const ownFailure = (status: Status): Failure => ({ errorType: "apiserver_internal_error", code: 0, status })

/** Calls a webhook for a request. Upstream: plugin/webhook/{validating,mutating}/dispatcher.go, callHook. */
export const callWebhook = (
  { client, source }: Caller,
  webhook: ValidatingWebhook,
  subject: Subject,
  matched: AdmissionKind,
  mutating: boolean,
  notes: Notes | undefined,
  done: (called: Called) => void
): void => {
  const { admissionReviewVersions = [], clientConfig, name, sideEffects, timeoutSeconds } = webhook
  if (subject.dryRun && sideEffects !== "None" && sideEffects !== "NoneOnDryRun") {
    const why = `admission webhook ${JSON.stringify(name)} does not support dry run`
    done(Result.fail(ownFailure(badRequest(why))))
    return
  }
  const version = reviewVersionOf(admissionReviewVersions)
  if (version === undefined) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
    done(Result.fail(callFailure(webhook, `could not create admission objects: ${why}`, 400)))
    return
  }
  const uid = source.makeId()
  const review = reviewOf(version, uid, subject, matched)
  const read = (answer: Fields): Result.Result<ReviewResponse, string> => {
    const undecodable = decodingFault(answer, { group: "admission.k8s.io", version, kind: "AdmissionReview" })
    if (undecodable !== undefined) return Result.fail(`failed to call webhook: ${undecodable}`)
    const response = readResponse(answer, version, uid, mutating)
    return Result.mapError(response, (why) => `received invalid webhook response: ${why}`)
  }
  client.call(clientConfig, review, timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS, read, (called) => {
    if (Result.isFailure(called)) {
      const { code, isUnsent, message } = called.failure
      const reason = isUnsent ? message : `failed to call webhook: ${message}`
      done(Result.fail(callFailure(webhook, reason, code)))
      return
    }
    const response = called.success
    if (Result.isFailure(response)) {
      done(Result.fail(callFailure(webhook, response.failure, 503)))
      return
    }
    noteAnswer(notes, name, response.success)
    if (response.success.allowed) {
      done(Result.succeed(response.success))
      return
    }
    const status = denialOf(name, response.success.result)
    done(Result.fail({ errorType: "no_error", code: status.code ?? 0, status }))
  })
}

/** Whether the failure policy of a webhook lets a request pass in spite of a failure. */
export const failsOpen = ({ failurePolicy }: ValidatingWebhook, { errorType }: Failure): boolean =>
  failurePolicy === "Ignore" && errorType === "calling_webhook_error"

/** Counts a call, and returns its failure if that refuses the request. */
export const judge = (
  { metrics, source }: Caller,
  webhook: ValidatingWebhook,
  subject: Subject,
  type: "admit" | "validating",
  failure: Failure | undefined,
  startMs: number
): Failure | undefined => {
  const { name } = webhook
  const isIgnored = failure !== undefined && failsOpen(webhook, failure)
  metrics.observe({
    name,
    type,
    operation: subject.operation,
    seconds: (source.timers.now() - startMs) / 1000,
    code: failure === undefined ? 200 : failure.code,
    rejection: isIgnored ? undefined : failure?.errorType
  })
  if (isIgnored) metrics.failedOpen(name, type)
  return isIgnored ? undefined : failure
}
