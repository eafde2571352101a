import type { PodInfo } from "./cache/CacheRecords.ts"

/** The result of one scheduling cycle: bind the pod to a node, or why it is unschedulable. */
export type Decision =
  | { readonly _tag: "Bind"; readonly node: string }
  | {
      readonly _tag: "Unschedulable"
      /** The text of the FailedScheduling event: `0/3 nodes are available: …`. */
      readonly message: string
      /** The names of the filters that rejected it: the events that they wait for can make the pod schedulable. */
      readonly plugins: ReadonlyArray<string>
      /** The result of preemption: a node on which the pod fits once the victims are deleted. */
      readonly nominated?: { readonly node: string; readonly victims: ReadonlyArray<PodInfo> }
      /** Whether an earlier nomination of the pod stays valid; else it is withdrawn. */
      readonly keepsNomination?: boolean
    }
