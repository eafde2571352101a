import { parseDuration, type Release } from "@rollcall/api"
import { type NodeLifecycleSettings, nodeLifecycleSettings } from "@rollcall/node-controller"
import * as Effect from "effect/Effect"
import { usageError } from "../../usageError.ts"

/** The node lifecycle flags of kube-controller-manager. A flag that is not given is undefined. */
export interface EvictionFlags {
  readonly nodeMonitorPeriod: string | undefined
  readonly nodeMonitorGracePeriod: string | undefined
  readonly nodeEvictionRate: number | undefined
  readonly secondaryNodeEvictionRate: number | undefined
  readonly unhealthyZoneThreshold: number | undefined
  readonly largeClusterSizeThreshold: number | undefined
}

/** Parses a duration to milliseconds. Fails unless it is above 0. */
const readMilliseconds = Effect.fnUntraced(function* (flag: string, given: string | undefined) {
  if (given === undefined) return undefined
  const parsed = parseDuration(given)
  if (parsed > 0) return parsed
  return yield* usageError(`found "${given}", expected a duration such as 50s or 2m`, flag)
})

const checkAtLeastZero = Effect.fnUntraced(function* (flag: string, given: number | undefined) {
  if (given === undefined || given >= 0) return given
  return yield* usageError(`found ${given}, expected 0 or more`, flag)
})

const withoutUndefined = (
  values: { readonly [K in keyof NodeLifecycleSettings]?: NodeLifecycleSettings[K] | undefined }
) =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined)
  ) as Partial<NodeLifecycleSettings>

/** Returns the node lifecycle settings: the given flags, and the defaults of the release for the others. Fails if a value is out of range. */
export const evictionSettings = Effect.fnUntraced(function* (flags: EvictionFlags, release: Release) {
  return nodeLifecycleSettings(
    withoutUndefined({
      nodeMonitorPeriodMs: yield* readMilliseconds("--node-monitor-period", flags.nodeMonitorPeriod),
      nodeMonitorGracePeriodMs: yield* readMilliseconds("--node-monitor-grace-period", flags.nodeMonitorGracePeriod),
      nodeEvictionRate: yield* checkAtLeastZero("--node-eviction-rate", flags.nodeEvictionRate),
      secondaryNodeEvictionRate: yield* checkAtLeastZero(
        "--secondary-node-eviction-rate",
        flags.secondaryNodeEvictionRate
      ),
      unhealthyZoneThreshold: yield* checkAtLeastZero("--unhealthy-zone-threshold", flags.unhealthyZoneThreshold),
      largeClusterSizeThreshold: yield* checkAtLeastZero(
        "--large-cluster-size-threshold",
        flags.largeClusterSizeThreshold
      )
    }),
    release
  )
})
