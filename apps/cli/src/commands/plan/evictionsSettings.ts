import { parseDuration, type Release } from "@rollcall/api"
import { invalid } from "@rollcall/input"
import { type NodeLifecycleSettings, nodeLifecycleSettings } from "@rollcall/node-controller"
import * as Effect from "effect/Effect"

/** What kube-controller-manager is told, by the names of its flags; undefined: not given. */
export interface EvictionFlags {
  readonly nodeMonitorPeriod: string | undefined
  readonly nodeMonitorGracePeriod: string | undefined
  readonly nodeEvictionRate: number | undefined
  readonly secondaryNodeEvictionRate: number | undefined
  readonly unhealthyZoneThreshold: number | undefined
  readonly largeClusterSizeThreshold: number | undefined
}

const wrong = (flag: string, message: string) => invalid("command line", flag, message)

const milliseconds = Effect.fnUntraced(function* (flag: string, given: string | undefined) {
  if (given === undefined) return undefined
  const parsed = parseDuration(given)
  if (parsed > 0) return parsed
  return yield* wrong(flag, `found "${given}", expected a duration such as 50s or 2m`)
})

const atLeastZero = Effect.fnUntraced(function* (flag: string, given: number | undefined) {
  if (given === undefined || given >= 0) return given
  return yield* wrong(flag, `found ${given}, expected 0 or more`)
})

const defined = (values: { readonly [K in keyof NodeLifecycleSettings]?: NodeLifecycleSettings[K] | undefined }) =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined)
  ) as Partial<NodeLifecycleSettings>

/** How the controllers of the cluster run, as far as evictions depend on it. */
export const evictionSettings = Effect.fnUntraced(function* (flags: EvictionFlags, release: Release) {
  return nodeLifecycleSettings(
    defined({
      nodeMonitorPeriodMs: yield* milliseconds("--node-monitor-period", flags.nodeMonitorPeriod),
      nodeMonitorGracePeriodMs: yield* milliseconds("--node-monitor-grace-period", flags.nodeMonitorGracePeriod),
      nodeEvictionRate: yield* atLeastZero("--node-eviction-rate", flags.nodeEvictionRate),
      secondaryNodeEvictionRate: yield* atLeastZero("--secondary-node-eviction-rate", flags.secondaryNodeEvictionRate),
      unhealthyZoneThreshold: yield* atLeastZero("--unhealthy-zone-threshold", flags.unhealthyZoneThreshold),
      largeClusterSizeThreshold: yield* atLeastZero("--large-cluster-size-threshold", flags.largeClusterSizeThreshold)
    }),
    release
  )
})
