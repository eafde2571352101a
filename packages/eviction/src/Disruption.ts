import {
  computeZoneState,
  type DisruptionFlags,
  rateOf,
  type ZoneCounts,
  type ZoneHealth,
  type ZoneState,
  zoneHealth
} from "./ZoneState.ts"

/** Remembered zones. A zone is put in as `Initial`, with a limiter at the normal rate, when its first member is seen. */
export type ZoneStates = ReadonlyMap<string, ZoneState>

/**
 * - `none`: no zone changed.
 * - `perZone`: zones changed state, each is given its own rate.
 * - `enterAllZonesDown`: nothing is alive anywhere, so it is rather the observer that is cut off: forgive every member, stop
 *   every limiter.
 * - `exitAllZonesDown`: something is alive again: start each member's silence anew, give each zone its own rate.
 */
export type DisruptionMode = "none" | "perZone" | "enterAllZonesDown" | "exitAllZonesDown"

export interface DisruptionDecision {
  readonly mode: DisruptionMode
  /** What to remember. */
  readonly states: ZoneStates
  /** The rate to swap each zone's limiter to, in evictions per second; 0 stops it. Zones that are not here keep theirs. */
  readonly rates: ReadonlyMap<string, number>
  /** Zones to forget: nothing of theirs was counted. */
  readonly vanished: ReadonlyArray<string>
  /** What to publish, vanished zones included. */
  readonly health: ReadonlyMap<string, ZoneHealth>
}

const EMPTY: ZoneHealth = { size: 0, health: 100, notReady: 0 }

const isFull = (state: ZoneState | undefined): boolean => state === "FullDisruption"

/**
 * Judges all zones at the end of a pass, from what was remembered and what the pass counted. Walks zones in the order of
 * their names.
 *
 * Kept from upstream: `Initial` is not a full disruption, so a first look at dead zones only enters all-zones-down; a zone that
 * arrives alive meanwhile does not leave it, and the others' limiters stay stopped until their states change; a vanished zone
 * does not count as having been alive, so zones that are all dead once the last living one is gone go on at their rates.
 * Where upstream's map order decides when a vanished zone is forgotten, here it always is at once.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption.
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
  const allBefore = [...before.values()].every(isFull)
  const allNow = [...now.values()].every(isFull)
  const decided = (mode: DisruptionMode, changed: ReadonlyArray<string>): DisruptionDecision => {
    const rates = new Map<string, number>()
    for (const zone of changed) {
      const state = now.get(zone) as ZoneState
      const rate = mode === "enterAllZonesDown" ? 0 : rateOf(state, (health.get(zone) as ZoneHealth).size, flags)
      if (rate !== undefined) rates.set(zone, rate)
    }
    return { mode, states: now, rates, vanished, health }
  }

  if (allNow && allBefore) return decided("none", [])
  if (allNow) return decided("enterAllZonesDown", zones)
  if (allBefore) return decided("exitAllZonesDown", zones)
  const changed = zones.filter((zone) => before.get(zone) !== now.get(zone))
  return decided(changed.length === 0 ? "none" : "perZone", changed)
}
