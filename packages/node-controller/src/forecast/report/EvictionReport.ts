import { featureGatesOf, type Lease, type Node, type Pod, type Release } from "@rollcall/api"
import type { KnowledgeGap } from "@rollcall/text"
import type { NodeLifecycleSettings } from "../../lifecycle/NodeLifecycleSettings.ts"
import type { EvictionForecast } from "../EvictionForecast.ts"
import { forecastEvictions } from "../forecastEvictions.ts"

/** The objects of a cluster that evictions depend on. */
export interface ClusterObjects {
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  /** The leases of kube-node-lease; undefined if they could not be read. */
  readonly leases: ReadonlyArray<Lease> | undefined
  readonly pods: ReadonlyArray<Pod>
  readonly gaps: ReadonlyArray<KnowledgeGap>
}

/** The content of an eviction report. */
export interface EvictionReport {
  /** The forecast, of which `nodes` has only the requested nodes. */
  readonly forecast: EvictionForecast
  readonly settings: NodeLifecycleSettings
  /** The names of the requested nodes; undefined if all are. */
  readonly requested: ReadonlyArray<string> | undefined
  /** Kinds that could not be read, and what is therefore not known. */
  readonly gaps: ReadonlyArray<KnowledgeGap>
}

/** Forecasts the next evictions by the controllers of a release with these settings. */
export const reportEvictions = (
  { gaps, leases, nodes, nowMs, pods }: ClusterObjects,
  settings: NodeLifecycleSettings,
  release: Release,
  requested?: ReadonlyArray<string>
): EvictionReport => {
  const gates = featureGatesOf(release)
  const forecast = forecastEvictions({
    nowMs,
    nodes,
    // In releases without leases the list is empty, not unknown: kubelets post their status as often instead.
    leases: release.nodeLeases ? leases : [],
    pods,
    settings,
    outOfService: gates.NodeOutOfServiceVolumeDetach,
    comparisonOperators: gates.TaintTolerationComparisonOperators === true
  })
  const names = requested === undefined ? undefined : new Set(requested)
  const requestedNodes =
    names === undefined ? forecast.nodes : forecast.nodes.filter(({ node }) => names.has(node.metadata.name ?? ""))
  return {
    forecast: { ...forecast, nodes: requestedNodes },
    settings,
    requested,
    gaps: gaps.filter(({ kind }) => release.nodeLeases || kind !== "Lease")
  }
}
