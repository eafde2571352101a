import { counter, type Distribution, histogram, type SeriesMap, type Value } from "@rollcall/time"
import type { AdmissionSource } from "../ports.ts"

const callLabels = ["name", "type", "operation"] as const

/** Upstream: apiserver/pkg/admission/metrics/metrics.go. */
export const webhookFamilies = {
  durations: histogram(
    "apiserver_admission_webhook_admission_duration_seconds",
    [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
    "STABLE",
    "How long calls of admission webhooks took, by webhook, operation and type (admit or validating).",
    [...callLabels, "rejected"]
  ),
  requests: counter(
    "apiserver_admission_webhook_request_total",
    "ALPHA",
    "Calls of admission webhooks, by webhook, operation, type and code; codes above 600 are shown as 600.",
    [...callLabels, "rejected", "code"]
  ),
  rejections: counter(
    "apiserver_admission_webhook_rejection_count",
    "ALPHA",
    "Requests that admission webhooks rejected, by webhook, operation, type, kind of error and code.",
    [...callLabels, "error_type", "rejection_code"]
  ),
  failOpen: counter(
    "apiserver_admission_webhook_fail_open_count",
    "ALPHA",
    "Requests that passed although the call of an admission webhook failed, by webhook and type.",
    ["name", "type"]
  )
}

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

const MAX_CODE = 600

const shownCode = (code: number): string => String(Math.min(code, MAX_CODE))

type Labels<Family> = Family extends { readonly labels: ReadonlyArray<infer Label extends string> } ? Label : never

interface Series {
  readonly durations: SeriesMap<Labels<typeof webhookFamilies.durations>, Distribution>
  readonly requests: SeriesMap<Labels<typeof webhookFamilies.requests>, Value>
  readonly rejections: SeriesMap<Labels<typeof webhookFamilies.rejections>, Value>
  readonly failOpen: SeriesMap<Labels<typeof webhookFamilies.failOpen>, Value>
}

/** Counts the calls of webhooks, in a server that measures its work. */
export class WebhookMetrics {
  private readonly series: Series | undefined

  constructor(metrics: AdmissionSource["metrics"]) {
    this.series = metrics && {
      durations: metrics.set.distributions(webhookFamilies.durations),
      requests: metrics.set.values(webhookFamilies.requests),
      rejections: metrics.set.values(webhookFamilies.rejections),
      failOpen: metrics.set.values(webhookFamilies.failOpen)
    }
  }

  observe({ code, name, operation, rejection, seconds, type }: Observation): void {
    if (this.series === undefined) return
    const { durations, rejections, requests } = this.series
    const call = { name, type, operation }
    const labels = { ...call, rejected: String(rejection !== undefined) }
    durations.with(labels).observe(seconds)
    requests.with({ ...labels, code: shownCode(code) }).add()
    if (rejection === undefined) return
    rejections.with({ ...call, error_type: rejection, rejection_code: shownCode(code) }).add()
  }

  failedOpen(name: string, type: Observation["type"]): void {
    this.series?.failOpen.with({ name, type }).add()
  }
}
