import { featureGatesOf, type Lease, type Node, type Pod, type Release } from "@rollcall/api"
import type { UnseenKind } from "@rollcall/text"
import type { NodeLifecycleSettings } from "../../lifecycle/NodeLifecycleSettings.ts"
import type { EvictionForecast } from "../EvictionForecast.ts"
import { forecastEvictions } from "../forecastEvictions.ts"

/** What evictions depend on, as it is to be seen of a cluster. */
export interface SeenCluster {
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  /** Undefined: there are none to be seen. */
  readonly leases: ReadonlyArray<Lease> | undefined
  readonly pods: ReadonlyArray<Pod>
  readonly gaps: ReadonlyArray<UnseenKind>
}

/** All that is said of evictions. */
export interface EvictionReport {
  /** Of the nodes that were asked for. */
  readonly forecast: EvictionForecast
  readonly settings: NodeLifecycleSettings
  /** The nodes that were asked for; undefined: all. */
  readonly asked: ReadonlyArray<string> | undefined
  /** What is not to be seen of the cluster, and what is not known for that. */
  readonly gaps: ReadonlyArray<UnseenKind>
}

/** Forecasts what is evicted next, under the controllers of a release with these settings; `asked`: only of these nodes. */
export const reportEvictions = (
  { gaps, leases, nodes, nowMs, pods }: SeenCluster,
  settings: NodeLifecycleSettings,
  release: Release,
  asked?: ReadonlyArray<string>
): EvictionReport => {
  const gates = featureGatesOf(release)
  const forecast = forecastEvictions({
    nowMs,
    nodes,
    // Where there are no leases, a status is posted as often.
    leases: release.nodeLeases ? leases : [],
    pods,
    settings,
    outOfService: gates.NodeOutOfServiceVolumeDetach,
    comparisonOperators: gates.TaintTolerationComparisonOperators === true
  })
  const names = asked === undefined ? undefined : new Set(asked)
  const told =
    names === undefined ? forecast.nodes : forecast.nodes.filter(({ node }) => names.has(node.metadata.name ?? ""))
  return {
    forecast: { ...forecast, nodes: told },
    settings,
    asked,
    gaps: gaps.filter(({ kind }) => release.nodeLeases || kind !== "Lease")
  }
}
