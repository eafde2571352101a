import { defaultRelease, type FeatureGates, featureGatesOf, parseDuration, type Release } from "@rollcall/api"
import { type DisruptionFlags, defaultDisruptionFlags } from "@rollcall/eviction"
import * as Schema from "effect/Schema"
import type { HealthRules } from "./NodeHealth.ts"

/** How the node lifecycle controller runs; names are those of kube-controller-manager's flags. */
export interface NodeLifecycleSettings extends DisruptionFlags, HealthRules {
  /** `--node-monitor-period`: the pause between passes, counted from the end of one. */
  readonly nodeMonitorPeriodMs: number
  /** Conditions and spec.unschedulable become NoSchedule taints. */
  readonly conditionTaints: boolean
  /** How pods leave a lost node: by NoExecute taints on it, or deleted by this controller after `podEvictionTimeoutMs`. */
  readonly podEviction: Release["podEviction"]
  /** `--pod-eviction-timeout` */
  readonly podEvictionTimeoutMs: number
  /** Pods that this controller has deleted and that do not end in time are removed by force. */
  readonly forcedDeletion: boolean
  /**
   * How long a pass takes besides its requests, for a clock that stands still while code runs: with passes that take no time
   * a silent node would be noticed one whole period late. Give zeros where passes take real time.
   */
  readonly passBaseMs: number
  readonly passPerNodeMs: number
  /** Count nodes that needed nothing in `node_collector_update_node_health_duration_seconds` too, as upstream does: at a price. */
  readonly meterEveryNode: boolean
}

/** The settings of a release, where nothing else is given. */
export const nodeLifecycleSettings = (
  given: Partial<NodeLifecycleSettings> = {},
  release: Release = defaultRelease
): NodeLifecycleSettings => ({
  ...defaultDisruptionFlags,
  nodeMonitorPeriodMs: 5000,
  nodeMonitorGracePeriodMs: release.nodeMonitorGracePeriodSeconds * 1000,
  nodeStartupGracePeriodMs: 60_000,
  staleConditions: release.staleConditions,
  conditionTaints: release.conditionTaints,
  podEviction: release.podEviction,
  podEvictionTimeoutMs: release.podEvictionTimeoutSeconds * 1000,
  forcedDeletion: release.forcedDeletion,
  passBaseMs: 2,
  passPerNodeMs: 0.01,
  meterEveryNode: false,
  ...given
})

/** How the pod garbage collector runs. */
export interface PodGcSettings {
  /** `--terminated-pod-gc-threshold`: 0 or less keeps all terminated pods. */
  readonly terminatedPodGCThreshold: number
  readonly periodMs: number
  /** How long a node must be gone before its pods are orphans. */
  readonly quarantineMs: number
  /** The out-of-service taint ends terminating pods. */
  readonly outOfService: boolean
  /** Orphans get a condition that says why they go. */
  readonly disruptionTarget: boolean
}

export const podGcSettings = (
  given: Partial<PodGcSettings> = {},
  gates: FeatureGates = featureGatesOf(defaultRelease)
): PodGcSettings => ({
  terminatedPodGCThreshold: 12_500,
  periodMs: 20_000,
  quarantineMs: 40_000,
  outOfService: gates.NodeOutOfServiceVolumeDetach,
  disruptionTarget: gates.PodDisruptionConditions,
  ...given
})

const DurationText = Schema.Union([Schema.String, Schema.Finite]).check(
  Schema.makeFilter((value) => !Number.isNaN(parseDuration(value)), { expected: "a duration such as 40s or 5m" })
)
const optional = Schema.optionalKey

/** The parts of a KubeControllerManagerConfiguration that these controllers read. Upstream: pkg/controller/*\/config. */
export const ControllerConfiguration = Schema.Struct({
  kubeCloudShared: optional(Schema.Struct({ nodeMonitorPeriod: optional(DurationText) })),
  nodeLifecycleController: optional(
    Schema.Struct({
      nodeEvictionRate: optional(Schema.Finite),
      secondaryNodeEvictionRate: optional(Schema.Finite),
      nodeStartupGracePeriod: optional(DurationText),
      nodeMonitorGracePeriod: optional(DurationText),
      largeClusterSizeThreshold: optional(Schema.Int),
      unhealthyZoneThreshold: optional(Schema.Finite)
    })
  ),
  podGCController: optional(Schema.Struct({ terminatedPodGCThreshold: optional(Schema.Int) }))
})
export interface ControllerConfiguration extends Schema.Schema.Type<typeof ControllerConfiguration> {}

const defined = <A extends object>(values: { readonly [K in keyof A]: A[K] | undefined }): Partial<A> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<A>

const milliseconds = (value: string | number | undefined): number | undefined =>
  value === undefined ? undefined : parseDuration(value)

/** The settings that a configuration file asks for. A threshold of 0 in a file means the default, as upstream's defaulting has it. */
export const settingsOf = (
  { kubeCloudShared, nodeLifecycleController, podGCController }: ControllerConfiguration,
  release: Release = defaultRelease
): { readonly nodeLifecycle: NodeLifecycleSettings; readonly podGc: PodGcSettings } => {
  const { nodeMonitorGracePeriod, nodeStartupGracePeriod, ...flags } = nodeLifecycleController ?? {}
  return {
    nodeLifecycle: nodeLifecycleSettings(
      {
        ...flags,
        ...defined<Pick<NodeLifecycleSettings, "nodeMonitorPeriodMs" | keyof HealthRules>>({
          nodeMonitorPeriodMs: milliseconds(kubeCloudShared?.nodeMonitorPeriod),
          nodeMonitorGracePeriodMs: milliseconds(nodeMonitorGracePeriod),
          nodeStartupGracePeriodMs: milliseconds(nodeStartupGracePeriod),
          staleConditions: undefined
        })
      },
      release
    ),
    podGc: podGcSettings(
      defined<Pick<PodGcSettings, "terminatedPodGCThreshold">>({
        terminatedPodGCThreshold: podGCController?.terminatedPodGCThreshold || undefined
      }),
      featureGatesOf(release)
    )
  }
}
