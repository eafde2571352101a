import { featureGatesOf, type Lease, type Node, type Pod, type Release } from "@rollcall/api"
import type { KnowledgeGap } from "@rollcall/text"
import type { NodeLifecycleSettings } from "../../lifecycle/NodeLifecycleSettings.ts"
import type { EvictionForecast } from "../EvictionForecast.ts"
import { forecastEvictions } from "../forecastEvictions.ts"

/** The objects of a cluster that evictions depend on. */
export interface SeenCluster {
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  /** Undefined: not readable. */
  readonly leases: ReadonlyArray<Lease> | undefined
  readonly pods: ReadonlyArray<Pod>
  readonly gaps: ReadonlyArray<KnowledgeGap>
}

/** The content of an eviction report. */
export interface EvictionReport {
  /** Of the requested nodes. */
  readonly forecast: EvictionForecast
  readonly settings: NodeLifecycleSettings
  /** The requested nodes; undefined: all. */
  readonly asked: ReadonlyArray<string> | undefined
  /** Kinds that could not be read, and what is therefore not known. */
  readonly gaps: ReadonlyArray<KnowledgeGap>
}

/** Forecasts the next evictions by the controllers of a release with these settings; `asked`: only of these nodes. */
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
    // Without leases kubelets post their status as often.
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
