/** What a zone (or any other failure domain) looks like. */
export type ZoneState = "Initial" | "Normal" | "PartialDisruption" | "FullDisruption"

/** Members of a zone that count, by whether they are ready. */
export interface ZoneCounts {
  readonly ready: number
  readonly notReady: number
}

/** The flags of the node lifecycle controller, by its names. */
export interface DisruptionFlags {
  /** Evictions per second in healthy and in entirely dead zones. */
  readonly nodeEvictionRate: number
  /** Evictions per second in large zones that are partly disrupted. */
  readonly secondaryNodeEvictionRate: number
  /** A zone of more members than this is large; partly disrupted zones that are not stop. */
  readonly largeClusterSizeThreshold: number
  /** The part of members not ready from which on a zone is partly disrupted. */
  readonly unhealthyZoneThreshold: number
}

/** Upstream's defaults: cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go. */
export const defaultDisruptionFlags: DisruptionFlags = {
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55
}

/** Fewer members than this are never a partial disruption. */
const PARTIAL_FROM = 3

/** Whether a member counts as ready, by the status of its condition Ready: only `True` does, not Unknown and not none. */
export const countsAsReady = (status: string | null | undefined): boolean => status === "True"

/**
 * The state of one zone. Fractions are compared as float32, so that 11 of 20 meet a threshold of 0.55.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go ComputeZoneState.
 */
export const computeZoneState = ({ notReady, ready }: ZoneCounts, unhealthyZoneThreshold: number): ZoneState => {
  if (ready === 0 && notReady > 0) return "FullDisruption"
  const fraction = Math.fround(notReady / (notReady + ready))
  return notReady >= PARTIAL_FROM && fraction >= Math.fround(unhealthyZoneThreshold) ? "PartialDisruption" : "Normal"
}

/** Evictions per second in a healthy zone. Upstream: HealthyQPSFunc. */
export const healthyRate = (flags: DisruptionFlags): number => flags.nodeEvictionRate

/** Evictions per second in a partly disrupted zone of this size; 0 stops. Upstream: ReducedQPSFunc. */
export const reducedRate = (flags: DisruptionFlags, zoneSize: number): number =>
  zoneSize > flags.largeClusterSizeThreshold ? flags.secondaryNodeEvictionRate : 0

/**
 * The rate to give a zone's limiter as the zone enters a state; undefined leaves the limiter as it is.
 * Upstream: setLimiterInZone.
 */
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

/** What the `node_collector_*` gauges say of a zone. */
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
