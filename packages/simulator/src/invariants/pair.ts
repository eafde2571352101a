import { type Node, type Taint, taintNotReady, taintUnreachable } from "@rollcall/api"
import { zoneKeyOf, zoneNames } from "@rollcall/node-controller"
import type { TraceEntry, TraceEntryOf } from "../trace/TraceEntry.ts"

const isPairKey = (key: string): boolean => key === taintNotReady || key === taintUnreachable

/** One of the two NoExecute taints by which the node lifecycle controller has pods evicted. */
export const isOfPair = ({ effect, key }: Pick<Taint, "effect" | "key">): boolean =>
  effect === "NoExecute" && isPairKey(key)

export const addsPair = ({ effect, key }: TraceEntryOf<"TaintAdded">): boolean =>
  effect === "NoExecute" && isPairKey(key)

export const pairOn = (node: Node | undefined): number => node?.spec?.taints?.filter(isOfPair).length ?? 0

export const zoneId = ({ region, zone }: { readonly region: string; readonly zone: string }): string =>
  `${region}/${zone}`

/** The zone of a node, as the node lifecycle controller sees it. */
export const zoneOfNode = (node: Node | undefined): string => zoneId(zoneNames(zoneKeyOf(node?.metadata.labels)))

/** kube-controller-manager ends or begins, and whatever it knew is gone; or it cannot tell what became of its writes. */
export const losesTrack = (entry: TraceEntry): boolean =>
  (entry.type === "LeaderChanged" && entry.component === "kube-controller-manager") ||
  ((entry.type === "FaultStarted" || entry.type === "FaultEnded") &&
    (entry.fault === "controller-restart" || entry.fault === "api-server-down"))
