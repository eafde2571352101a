import type { EvictionForecast, NodeLifecycleSettings } from "@rollcall/node-controller"
import type { Gap } from "@rollcall/simulator/snapshot"

/** All that is said of evictions. */
export interface EvictionReport {
  /** Of the nodes that were asked for. */
  readonly forecast: EvictionForecast
  readonly settings: NodeLifecycleSettings
  /** The nodes that were asked for; undefined: all. */
  readonly asked: ReadonlyArray<string> | undefined
  /** What is not to be seen of the cluster, and what is not known for that. */
  readonly gaps: ReadonlyArray<Gap>
}
