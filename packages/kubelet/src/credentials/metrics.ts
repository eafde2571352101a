import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/** Upstream: pkg/credentialprovider/plugin/metrics.go. */
const errors = Metric.counter("kubelet_credential_provider_plugin_errors_total", {
  description: "[ALPHA] Number of errors from credential provider plugin",
  incremental: true
})
/** The boundaries are Prometheus' default buckets, as upstream. */
const durations = Metric.histogram("kubelet_credential_provider_plugin_duration", {
  description: "[ALPHA] Duration of execution in seconds for credential provider plugin",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** Receives the metrics of credential plugins. */
export interface CredentialMeter {
  /** A plugin has ended. */
  readonly pluginRan: (plugin: string, seconds: number, hasFailed: boolean) => void
}

/** Returns a meter that updates the metrics of a context. */
export const makeCredentialMeter = (context: Context.Context<never>): CredentialMeter => ({
  pluginRan: (plugin, seconds, hasFailed) => {
    const attributes = { plugin_name: plugin }
    durations.pipe(Metric.withAttributes(attributes)).updateUnsafe(seconds, context)
    if (hasFailed) errors.pipe(Metric.withAttributes(attributes)).updateUnsafe(1, context)
  }
})
