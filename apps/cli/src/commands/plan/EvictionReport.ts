import type { EvictionForecast, NodeLifecycleSettings } from "@rollcall/node-controller"

/** All that is said of evictions. */
export interface EvictionReport {
  /** Of the nodes that were asked for. */
  readonly forecast: EvictionForecast
  readonly settings: NodeLifecycleSettings
  /** The nodes that were asked for; undefined: all. */
  readonly asked: ReadonlyArray<string> | undefined
}
