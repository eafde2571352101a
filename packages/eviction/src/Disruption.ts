import {
  computeZoneState,
  type DisruptionFlags,
  rateOf,
  type ZoneCounts,
  type ZoneHealth,
  type ZoneState,
  zoneHealth
} from "./ZoneState.ts"

/**
 * The state of each known zone. A zone is added as `Initial`, with a limiter at the normal rate, when its first member
 * is seen.
 */
export type ZoneStates = ReadonlyMap<string, ZoneState>

/**
 * - `none`: no zone changed state.
 * - `perZone`: some zones changed state; each of these gets the rate of its new state.
 * - `enterAllZonesDown`: no member is ready in any zone, so the observer is more likely to be cut off than the
 *   members: cancel every eviction, stop every limiter.
 * - `exitAllZonesDown`: some member is ready again: restart the grace period of every member, give each zone the rate
 *   of its state.
 */
export type DisruptionMode = "none" | "perZone" | "enterAllZonesDown" | "exitAllZonesDown"

/** What a pass decides about all zones. */
export interface DisruptionDecision {
  readonly mode: DisruptionMode
  /** The state of each counted zone, to remember for the next pass. */
  readonly states: ZoneStates
  /** The new rate of each zone's limiter, in evictions per second; 0 stops it. A zone that is absent keeps its rate. */
  readonly rates: ReadonlyMap<string, number>
  /** Remembered zones of which no member was counted: they are to be forgotten. */
  readonly vanished: ReadonlyArray<string>
  /** The figures of each zone to publish, also of vanished zones. */
  readonly health: ReadonlyMap<string, ZoneHealth>
}

/** The figures of a zone without members. */
const EMPTY: ZoneHealth = { size: 0, health: 100, notReady: 0 }

const isFull = (state: ZoneState | undefined): boolean => state === "FullDisruption"

/**
 * Computes the state of all zones at the end of a pass, from the remembered states and the pass's counts. Zones are
 * processed in order of name.
 *
 * Kept from upstream: `Initial` is not a full disruption, so the first pass over dead zones only enters all-zones-down.
 * A new zone with ready members does not end all-zones-down, and the limiters of the other zones stay stopped until
 * their states change. A vanished zone does not count as having had ready members: if it was the last zone with any,
 * the others keep their rates. Upstream's map order decides when a vanished zone is forgotten; here it is forgotten at
 * once. Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption.
 */
export const decideDisruption = (
  remembered: ZoneStates,
  counts: ReadonlyMap<string, ZoneCounts>,
  flags: DisruptionFlags
): DisruptionDecision => {
  const zones = [...counts.keys()].sort()
  const vanished = [...remembered.keys()].filter((zone) => !counts.has(zone)).sort()
  const health = new Map<string, ZoneHealth>(vanished.map((zone) => [zone, EMPTY]))
  const before = new Map<string, ZoneState | undefined>()
  const now = new Map<string, ZoneState>()
  for (const zone of zones) {
    const counted = counts.get(zone) as ZoneCounts
    health.set(zone, zoneHealth(counted))
    before.set(zone, remembered.get(zone))
    now.set(zone, computeZoneState(counted, flags.unhealthyZoneThreshold))
  }
  const allWereDown = [...before.values()].every(isFull)
  const allAreDown = [...now.values()].every(isFull)
  const decisionFor = (mode: DisruptionMode, changed: ReadonlyArray<string>): DisruptionDecision => {
    const rates = new Map<string, number>()
    for (const zone of changed) {
      const state = now.get(zone) as ZoneState
      const rate = mode === "enterAllZonesDown" ? 0 : rateOf(state, (health.get(zone) as ZoneHealth).size, flags)
      if (rate !== undefined) rates.set(zone, rate)
    }
    return { mode, states: now, rates, vanished, health }
  }

  if (allAreDown && allWereDown) return decisionFor("none", [])
  if (allAreDown) return decisionFor("enterAllZonesDown", zones)
  if (allWereDown) return decisionFor("exitAllZonesDown", zones)
  const changed = zones.filter((zone) => before.get(zone) !== now.get(zone))
  return decisionFor(changed.length === 0 ? "none" : "perZone", changed)
}
