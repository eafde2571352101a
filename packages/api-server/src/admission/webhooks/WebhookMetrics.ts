import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/** Upstream: apiserver/pkg/admission/metrics/metrics.go. */

const duration = Metric.histogram("apiserver_admission_webhook_admission_duration_seconds", {
  description:
    "[STABLE] Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).",
  boundaries: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]
})

const counter = (name: string, description: string) =>
  Metric.counter(`apiserver_admission_webhook_${name}`, { description, incremental: true })

const rejections = counter(
  "rejection_count",
  "[ALPHA] Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded."
)
const failOpen = counter(
  "fail_open_count",
  "[ALPHA] Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit)."
)
const requests = counter(
  "request_total",
  "[ALPHA] Admission webhook request total, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded."
)

export type ErrorType = "apiserver_internal_error" | "calling_webhook_error" | "no_error"

/** One call of a webhook. */
export interface Observation {
  readonly name: string
  readonly type: "admit" | "validating"
  readonly operation: string
  readonly seconds: number
  readonly code: number
  /** Why the request was rejected; undefined if it was not. */
  readonly rejection: ErrorType | undefined
}

const most = (code: number): string => String(Math.min(code, 600))

/** Counts the calls of webhooks. */
export class WebhookMetrics {
  private readonly context: Context.Context<never>

  constructor(context: Context.Context<never>) {
    this.context = context
  }

  observe({ code, name, operation, rejection, seconds, type }: Observation): void {
    const labels = { name, type, operation, rejected: String(rejection !== undefined) }
    duration.pipe(Metric.withAttributes(labels)).updateUnsafe(seconds, this.context)
    requests.pipe(Metric.withAttributes({ ...labels, code: most(code) })).updateUnsafe(1, this.context)
    if (rejection === undefined) return
    const rejected = { name, type, operation, error_type: rejection, rejection_code: most(code) }
    rejections.pipe(Metric.withAttributes(rejected)).updateUnsafe(1, this.context)
  }

  failedOpen(name: string, type: Observation["type"]): void {
    failOpen.pipe(Metric.withAttributes({ name, type })).updateUnsafe(1, this.context)
  }
}
