import { featureGatesOf, type Release } from "@rollcall/api"
import type { BindingPoints, PermitPlugin, PostBindPlugin, PreBindPlugin, ReservePlugin } from "./BindingPlugin.ts"
import type { FilterPlugin, ScorePlugin } from "./Plugin.ts"
import type { PreemptionLimits } from "./Preemption.ts"
import { balancedAllocation } from "./plugins/BalancedAllocation.ts"
import { imageLocality } from "./plugins/ImageLocality.ts"
import { interPodAffinity } from "./plugins/InterPodAffinity.ts"
import { interPodAffinityScore } from "./plugins/InterPodAffinityScore.ts"
import { leastAllocated } from "./plugins/LeastAllocated.ts"
import { nodeAffinity, nodeAffinityScore } from "./plugins/NodeAffinity.ts"
import { nodeCondition } from "./plugins/NodeCondition.ts"
import { nodeDeclaredFeatures } from "./plugins/NodeDeclaredFeatures.ts"
import { nodeName } from "./plugins/NodeName.ts"
import { nodePorts } from "./plugins/NodePorts.ts"
import { nodeResourcesFit } from "./plugins/NodeResourcesFit.ts"
import { nodeUnschedulable } from "./plugins/NodeUnschedulable.ts"
import { nodeVolumeLimits } from "./plugins/NodeVolumeLimits.ts"
import { podTopologySpread } from "./plugins/PodTopologySpread.ts"
import { podTopologySpreadScore } from "./plugins/PodTopologySpreadScore.ts"
import { taintToleration, taintTolerationScore } from "./plugins/TaintToleration.ts"
import { volumeBinding } from "./plugins/VolumeBinding.ts"
import { volumeRestrictions } from "./plugins/VolumeRestrictions.ts"
import { volumeZone } from "./plugins/VolumeZone.ts"

/**
 * The plugins of a profile. Filters run in this order; the first that rejects a node is reported. The default for a
 * missing list of a binding point: those filters that are plugins of that point too, as VolumeBinding is.
 */
export interface Profile extends Partial<BindingPoints> {
  readonly filters: ReadonlyArray<FilterPlugin>
  readonly scores: ReadonlyArray<ScorePlugin>
  /** The limits of preemption; `none`: no preemption. Default: Kubernetes' limits. */
  readonly preemption?: PreemptionLimits | "none"
}

const isReserve = (plugin: object): plugin is ReservePlugin => "reserve" in plugin
const isPermit = (plugin: object): plugin is PermitPlugin => "permit" in plugin
const isPreBind = (plugin: object): plugin is PreBindPlugin => "preBind" in plugin
const isPostBind = (plugin: object): plugin is PostBindPlugin => "postBind" in plugin

const thoseThat = <A extends object>(
  plugins: ReadonlyArray<object>,
  are: (plugin: object) => plugin is A
): ReadonlyArray<A> => plugins.flatMap((plugin) => (are(plugin) ? [plugin] : []))

/** The binding plugins of a profile; undefined when it has none. */
export const bindingPointsOf = ({
  filters,
  permit,
  postBind,
  preBind,
  reserve
}: Profile): BindingPoints | undefined => {
  const points: BindingPoints = {
    reserve: reserve ?? thoseThat(filters, isReserve),
    permit: permit ?? thoseThat(filters, isPermit),
    preBind: preBind ?? thoseThat(filters, isPreBind),
    postBind: postBind ?? thoseThat(filters, isPostBind)
  }
  return Object.values(points).every((plugins) => plugins.length === 0) ? undefined : points
}

/**
 * The default profile, without the plugin for resource claims.
 * Upstream: pkg/scheduler/apis/config/v1/default_plugins.go.
 */
export const defaultProfile: Profile & BindingPoints = {
  filters: [
    nodeUnschedulable,
    nodeName,
    taintToleration,
    nodeAffinity,
    nodePorts,
    nodeResourcesFit,
    volumeRestrictions,
    nodeVolumeLimits,
    volumeBinding,
    volumeZone,
    podTopologySpread,
    interPodAffinity,
    nodeDeclaredFeatures
  ],
  scores: [
    taintTolerationScore,
    nodeAffinityScore,
    leastAllocated,
    podTopologySpreadScore,
    interPodAffinityScore,
    balancedAllocation,
    imageLocality
  ],
  reserve: [volumeBinding],
  permit: [],
  preBind: [volumeBinding],
  postBind: []
}

/**
 * The default profile of a release: where conditions do not become taints, it filters nodes by their conditions; where
 * nodes do not declare features, it does not filter by them.
 */
export const profileOf = (release: Release): Profile => {
  const declares = featureGatesOf(release).NodeDeclaredFeatures
  const filters = declares
    ? defaultProfile.filters
    : defaultProfile.filters.filter((filter) => filter !== nodeDeclaredFeatures)
  return { ...defaultProfile, filters: release.conditionTaints ? filters : [nodeCondition, ...filters] }
}
