import * as Context from "effect/Context"

/** Observes the controllers of this package. Called synchronously; must not throw. */
export interface NodeControllerObserver {
  /** A zone was seen for the first time, or for the first time since it was forgotten. */
  readonly zoneCreated: (zoneKey: string) => void
  readonly zoneStateChanged: (change: { readonly zoneKey: string; readonly from: string; readonly to: string }) => void
  /** A zone's rate has changed; with a rate of 0 none of its nodes is tainted until it changes again. */
  readonly zoneRateChanged: (change: { readonly zoneKey: string; readonly nodesPerSecond: number }) => void
  /** Called with true when every zone has come into full disruption, and with false when that has ended. */
  readonly allZonesDown: (entered: boolean) => void
  readonly passEnded: (pass: { readonly startedMs: number; readonly endedMs: number; readonly nodes: number }) => void
  /** A pod will be deleted at `dueMs` unless that is cancelled. Not called for deletions that are due at once. */
  readonly evictionScheduled: (eviction: PodEviction) => void
  readonly evictionCancelled: (eviction: PodEviction) => void
  /** Called when the pod garbage collector starts to delete a pod. */
  readonly podCollected: (pod: { readonly namespace: string; readonly pod: string; readonly reason: string }) => void
  /** A node was assigned pod CIDRs, or they were released because the node was deleted. */
  readonly cidrsAssigned: (assignment: CIDRAssignment) => void
  readonly cidrsReleased: (assignment: CIDRAssignment) => void
}

export interface PodEviction {
  readonly namespace: string
  readonly pod: string
  readonly node: string
  readonly dueMs: number
}

export interface CIDRAssignment {
  readonly node: string
  readonly cidrs: ReadonlyArray<string>
}

const ignore = () => {}

export const noObserver: NodeControllerObserver = {
  zoneCreated: ignore,
  zoneStateChanged: ignore,
  zoneRateChanged: ignore,
  allZonesDown: ignore,
  passEnded: ignore,
  evictionScheduled: ignore,
  evictionCancelled: ignore,
  podCollected: ignore,
  cidrsAssigned: ignore,
  cidrsReleased: ignore
}

/** The observer that the controllers of this package report to; the default ignores everything. */
export const Observer = Context.Reference<NodeControllerObserver>("@rollcall/node-controller/Observer", {
  defaultValue: () => noObserver
})
