import type { MetricSpec, Pod, Selector } from "@rollcall/api"

/** A metric of a pod: its value in thousandths, and when it was taken. */
export interface PodMetric {
  readonly value: number
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  readonly windowMs: number
}

/** Metrics by the name of the pod. */
export type PodMetrics = ReadonlyMap<string, PodMetric>

/** What a source answered for one metric; `error` is why it has none. Values are in thousandths. */
export type MetricAnswer =
  | { readonly pods: PodMetrics }
  | { readonly values: ReadonlyArray<number> }
  | { readonly error: string }

/** A question for one metric of an autoscaler. */
export interface MetricRequest {
  readonly spec: MetricSpec
  readonly namespace: string
  /** Selects the pods of the workload. */
  readonly selector: Selector
  /** The pods that it selects. */
  readonly pods: ReadonlyArray<Pod>
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Settings of the controller, named as kube-controller-manager's flags. */
export interface AutoscalerConfig {
  /** `--horizontal-pod-autoscaler-sync-period` */
  readonly syncPeriodMs: number
  /** `--horizontal-pod-autoscaler-tolerance` */
  readonly tolerance: number
  /** `--horizontal-pod-autoscaler-downscale-stabilization` */
  readonly downscaleStabilizationMs: number
  /** `--horizontal-pod-autoscaler-cpu-initialization-period` */
  readonly cpuInitializationMs: number
  /** `--horizontal-pod-autoscaler-initial-readiness-delay` */
  readonly initialReadinessDelayMs: number
  /** `--concurrent-horizontal-pod-autoscaler-syncs` */
  readonly concurrentSyncs: number
  /** Without behavior, one sync scales up to this multiple of the replicas, or to `scaleUpMinimum`. No flag. */
  readonly scaleUpFactor: number
  readonly scaleUpMinimum: number
  /** The feature gate HPAScaleToZero. */
  readonly scalesToZero: boolean
}

/** Upstream: pkg/controller/podautoscaler/config/v1alpha1/defaults.go; horizontal.go. */
export const defaultAutoscalerConfig: AutoscalerConfig = {
  syncPeriodMs: 15_000,
  tolerance: 0.1,
  downscaleStabilizationMs: 300_000,
  cpuInitializationMs: 300_000,
  initialReadinessDelayMs: 30_000,
  concurrentSyncs: 5,
  scaleUpFactor: 2,
  scaleUpMinimum: 4,
  scalesToZero: false
}
