/** The state of a zone (or any other failure domain). */
export type ZoneState = "Initial" | "Normal" | "PartialDisruption" | "FullDisruption"

/** The counted members of a zone, by readiness. */
export interface ZoneCounts {
  readonly ready: number
  readonly notReady: number
}

/** The flags of the node lifecycle controller, under its names. */
export interface DisruptionFlags {
  /** Evictions per second in zones in state Normal or FullDisruption. */
  readonly nodeEvictionRate: number
  /** Evictions per second in large zones in state PartialDisruption. */
  readonly secondaryNodeEvictionRate: number
  /** A zone with more members than this is large; evictions stop in smaller zones in state PartialDisruption. */
  readonly largeClusterSizeThreshold: number
  /** The fraction of members not ready, from 0 to 1, from which on a zone is in state PartialDisruption. */
  readonly unhealthyZoneThreshold: number
}

/**
 * The defaults of kube-controller-manager. Upstream:
 * cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go.
 */
export const defaultDisruptionFlags: DisruptionFlags = {
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55
}

/** A zone needs at least this many members not ready to be PartialDisruption. */
const MIN_NOT_READY_FOR_PARTIAL = 3

/**
 * Whether a member counts as ready, by the status of its Ready condition: only `True` counts, not Unknown and not a
 * missing condition.
 */
export const countsAsReady = (status: string | null | undefined): boolean => status === "True"

/**
 * The state of one zone. Fractions are compared as float32, so that 11 of 20 meet a threshold of 0.55.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go ComputeZoneState.
 */
export const computeZoneState = ({ notReady, ready }: ZoneCounts, unhealthyZoneThreshold: number): ZoneState => {
  if (ready === 0 && notReady > 0) return "FullDisruption"
  const fraction = Math.fround(notReady / (notReady + ready))
  return notReady >= MIN_NOT_READY_FOR_PARTIAL && fraction >= Math.fround(unhealthyZoneThreshold)
    ? "PartialDisruption"
    : "Normal"
}

/** Evictions per second in a healthy zone. Upstream: HealthyQPSFunc. */
export const healthyRate = (flags: DisruptionFlags): number => flags.nodeEvictionRate

/** Evictions per second in a partly disrupted zone of this size; 0 stops evictions. Upstream: ReducedQPSFunc. */
export const reducedRate = (flags: DisruptionFlags, zoneSize: number): number =>
  zoneSize > flags.largeClusterSizeThreshold ? flags.secondaryNodeEvictionRate : 0

/** The rate to set when a zone enters a state; undefined keeps the current rate. Upstream: setLimiterInZone. */
export const rateOf = (state: ZoneState, zoneSize: number, flags: DisruptionFlags): number | undefined => {
  switch (state) {
    case "Initial":
      return undefined
    case "Normal":
    case "FullDisruption":
      return healthyRate(flags)
    case "PartialDisruption":
      return reducedRate(flags, zoneSize)
  }
}

/** The values of the `node_collector_*` gauges for a zone. */
export interface ZoneHealth {
  readonly size: number
  /** Percent of members that are ready; 100 for a zone without members. */
  readonly health: number
  readonly notReady: number
}

export const zoneHealth = ({ notReady, ready }: ZoneCounts): ZoneHealth => {
  const size = ready + notReady
  return { size, health: size === 0 ? 100 : (100 * ready) / size, notReady }
}
