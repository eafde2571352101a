import { histogram, summary } from "@rollcall/time"

/* Upstream: apiserver/pkg/admission/metrics/metrics.go. */

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5]
const stepLabels = ["operation", "rejected", "type"] as const

export const admissionFamilies = {
  controllers: histogram(
    "apiserver_admission_controller_admission_duration_seconds",
    buckets,
    "STABLE",
    "How long each admission plugin took, by operation, and by whether it changed (admit) or checked (validate).",
    ["name", ...stepLabels]
  ),
  steps: histogram(
    "apiserver_admission_step_admission_duration_seconds",
    buckets,
    "STABLE",
    "How long all admission plugins of a write took, by operation and type.",
    stepLabels
  ),
  stepSummaries: summary(
    "apiserver_admission_step_admission_duration_seconds_summary",
    "ALPHA",
    "How long all admission plugins of a write took in total, by operation and type.",
    stepLabels
  )
}
