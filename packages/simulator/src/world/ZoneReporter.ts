import type { ControlPlane } from "@rollcall/control-plane"
import { type NodeControllerObserver, noObserver, zoneNames } from "@rollcall/node-controller"
import type { VolumeObserver } from "@rollcall/volumes"
import type { ZoneMetrics } from "../Result.ts"
import type { Trace } from "../trace/Trace.ts"

/** Traces the decisions of the node controllers, and samples the zone metrics when they change. */
export interface ZoneReporter {
  readonly observer: NodeControllerObserver & VolumeObserver
  /** Sets the function that reads the metrics; before, there are none. */
  readonly setSource: (read: ControlPlane["zoneMetrics"]) => void
  /** Samples the metrics now. */
  readonly scrape: () => void
  readonly metrics: () => ReadonlyArray<ZoneMetrics>
}

const seconds = (elapsedMs: number): number => Math.round(elapsedMs) / 1000

/** Makes a reporter. `startMs` is time 0 as a Unix time; `elapsedMs` returns the virtual time since then. */
export const makeZoneReporter = (trace: Trace, startMs: number, elapsedMs: () => number): ZoneReporter => {
  let read: ControlPlane["zoneMetrics"] = () => new Map()
  const samples: Array<ZoneMetrics> = []
  let lastSample = ""
  const sample = () => {
    const zones = Object.fromEntries(
      [...read()].map(([key, values]) => {
        const { region, zone } = zoneNames(key)
        return [`${region}/${zone}`, values]
      })
    )
    const text = JSON.stringify(zones)
    if (text === lastSample) return
    lastSample = text
    samples.push({ at: seconds(elapsedMs()), zones })
  }
  return {
    observer: {
      ...noObserver,
      zoneCreated: (zoneKey) => trace.add("ZoneCreated", zoneNames(zoneKey)),
      zoneStateChanged: ({ from, to, zoneKey }) => trace.add("ZoneStateChanged", { ...zoneNames(zoneKey), from, to }),
      zoneRateChanged: ({ nodesPerSecond, zoneKey }) =>
        trace.add("ZoneRateChanged", { ...zoneNames(zoneKey), nodesPerSecond }),
      allZonesDown: (entered) => trace.add("AllZonesDown", { entered }),
      passEnded: sample,
      evictionScheduled: ({ dueMs, namespace, node, pod }) =>
        trace.add("PodEvictionScheduled", { namespace, pod, node, due: seconds(dueMs - startMs) }),
      evictionCancelled: ({ namespace, node, pod }) => trace.add("PodEvictionCancelled", { namespace, pod, node }),
      volumeDetached: (detached) => trace.add("VolumeDetached", detached),
      cidrsAssigned: (assignment) => trace.add("CidrAssigned", assignment),
      cidrsReleased: (assignment) => trace.add("CidrReleased", assignment)
    },
    setSource: (source) => {
      read = source
    },
    scrape: sample,
    metrics: () => samples
  }
}
