import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { ScaleAction } from "./reconcile.ts"

/** Upstream: pkg/controller/podautoscaler/monitor. */

/** The label `error`: whose fault it is. */
export type ErrorLabel = "spec" | "internal" | "none"

const named = (name: string): string => `horizontal_pod_autoscaler_controller_${name}`
const boundaries = Array.from({ length: 15 }, (_, index) => 0.001 * 2 ** index)
const actions = "The label 'action' should be either 'scale_down', 'scale_up', or 'none'."
const errors = "the label 'error' should be either 'spec', 'internal', or 'none'."
const firstError =
  "Note that if both spec and internal errors happen during a reconciliation, the first one to occur is reported in `error` label."
const byType = "The label 'metric_type' corresponds to HPA.spec.metrics[*].type"

const reconciliations = Metric.counter(named("reconciliations_total"), {
  description: `[BETA] Number of reconciliations of HPA controller. ${actions} Also, ${errors} ${firstError}`,
  incremental: true
})
const reconcileSeconds = Metric.histogram(named("reconciliation_duration_seconds"), {
  description: `[BETA] The time(seconds) that the HPA controller takes to reconcile once. ${actions} Also, ${errors} ${firstError}`,
  boundaries
})
const computations = Metric.counter(named("metric_computation_total"), {
  description: `[BETA] Number of metric computations. ${actions} Also, ${errors} ${byType}`,
  incremental: true
})
const computeSeconds = Metric.histogram(named("metric_computation_duration_seconds"), {
  description: `[BETA] The time(seconds) that the HPA controller takes to calculate one metric. ${actions} T${errors.slice(1)} ${byType}`,
  boundaries
})
const autoscalers = Metric.gauge(named("num_horizontal_pod_autoscalers"), {
  description: "[ALPHA] Current number of controlled HPA objects."
})
const desiredReplicas = Metric.gauge(named("desired_replicas"), {
  description: "[ALPHA] Current desired replica count for HPA objects."
})

/** The metrics of the controller of autoscalers. */
export class AutoscalerMonitor {
  private readonly context: Context.Context<never>

  constructor(context: Context.Context<never>) {
    this.context = context
  }

  reconciled(action: ScaleAction, error: ErrorLabel, seconds: number): void {
    const labels = Metric.withAttributes({ action, error })
    labels(reconciliations).updateUnsafe(1, this.context)
    labels(reconcileSeconds).updateUnsafe(seconds, this.context)
  }

  computed(action: ScaleAction, error: ErrorLabel, seconds: number, type: string): void {
    const labels = Metric.withAttributes({ action, error, metric_type: type })
    labels(computations).updateUnsafe(1, this.context)
    labels(computeSeconds).updateUnsafe(seconds, this.context)
  }

  counted(count: number): void {
    autoscalers.updateUnsafe(count, this.context)
  }

  desires(namespace: string, name: string, replicas: number): void {
    const labels = Metric.withAttributes({ namespace, hpa_name: name })
    labels(desiredReplicas).updateUnsafe(replicas, this.context)
  }
}
