import { type Node, type Taint, taintNotReady, taintUnreachable } from "@rollcall/api"
import { zoneKeyOf, zoneNames } from "@rollcall/node-controller"
import type { TraceEntry, TraceEntryOf } from "../trace/TraceEntry.ts"

const isEvictionTaintKey = (key: string): boolean => key === taintNotReady || key === taintUnreachable

/** Returns whether a taint is one of the two NoExecute taints that the node lifecycle controller adds to evict pods. */
export const isEvictionTaint = ({ effect, key }: Pick<Taint, "effect" | "key">): boolean =>
  effect === "NoExecute" && isEvictionTaintKey(key)

/** Returns whether an entry adds one of those two taints. */
export const addsEvictionTaint = ({ effect, key }: TraceEntryOf<"TaintAdded">): boolean =>
  effect === "NoExecute" && isEvictionTaintKey(key)

/** Returns how many of those two taints a node has. */
export const evictionTaintCount = (node: Node | undefined): number =>
  node?.spec?.taints?.filter(isEvictionTaint).length ?? 0

/** Returns a zone as `region/zone`. */
export const zoneId = ({ region, zone }: { readonly region: string; readonly zone: string }): string =>
  `${region}/${zone}`

/** Returns the zone of a node as the node lifecycle controller determines it: `region/zone`. */
export const zoneOfNode = (node: Node | undefined): string => zoneId(zoneNames(zoneKeyOf(node?.metadata.labels)))

/**
 * Returns whether kube-controller-manager loses its state at an entry, because it starts or stops, or may not know the outcome of its
 * writes, because the API server starts or stops.
 */
export const losesControllerState = (entry: TraceEntry): boolean =>
  (entry.type === "LeaderChanged" && entry.component === "kube-controller-manager") ||
  ((entry.type === "FaultStarted" || entry.type === "FaultEnded") &&
    (entry.fault === "controller-restart" || entry.fault === "api-server-down"))
