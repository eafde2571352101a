import { featureGatesOf, type Release } from "@rollcall/api"
import type { BindingPoints, PermitPlugin, PostBindPlugin, PreBindPlugin, ReservePlugin } from "./BindingPlugin.ts"
import type { FilterPlugin, ScorePlugin } from "./Plugin.ts"
import type { PreemptionLimits } from "./Preemption.ts"
import { balancedAllocation } from "./plugins/BalancedAllocation.ts"
import { dynamicResources, dynamicResourcesScore } from "./plugins/DynamicResources.ts"
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
 * The plugins of a profile. Filters run in this order; the first that rejects a node is reported. If the list of a
 * binding point is absent, it consists of the filters that are also plugins of that point, as VolumeBinding is.
 */
export interface Profile extends Partial<BindingPoints> {
  readonly filters: ReadonlyArray<FilterPlugin>
  readonly scores: ReadonlyArray<ScorePlugin>
  /** The limits of preemption, by default Kubernetes' limits; `none` disables preemption. */
  readonly preemption?: PreemptionLimits | "none"
}

const isReserve = (plugin: object): plugin is ReservePlugin => "reserve" in plugin
const isPermit = (plugin: object): plugin is PermitPlugin => "permit" in plugin
const isPreBind = (plugin: object): plugin is PreBindPlugin => "preBind" in plugin
const isPostBind = (plugin: object): plugin is PostBindPlugin => "postBind" in plugin

const pluginsThat = <A extends object>(
  plugins: ReadonlyArray<object>,
  are: (plugin: object) => plugin is A
): ReadonlyArray<A> => plugins.flatMap((plugin) => (are(plugin) ? [plugin] : []))

/** The plugins of a profile for the binding points; undefined if it has none at all. */
export const bindingPointsOf = ({
  filters,
  permit,
  postBind,
  preBind,
  reserve
}: Profile): BindingPoints | undefined => {
  const points: BindingPoints = {
    reserve: reserve ?? pluginsThat(filters, isReserve),
    permit: permit ?? pluginsThat(filters, isPermit),
    preBind: preBind ?? pluginsThat(filters, isPreBind),
    postBind: postBind ?? pluginsThat(filters, isPostBind)
  }
  return Object.values(points).every((plugins) => plugins.length === 0) ? undefined : points
}

/** The default profile of kube-scheduler. Upstream: pkg/scheduler/apis/config/v1/default_plugins.go. */
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
    dynamicResources,
    nodeDeclaredFeatures
  ],
  scores: [
    taintTolerationScore,
    nodeAffinityScore,
    leastAllocated,
    podTopologySpreadScore,
    interPodAffinityScore,
    dynamicResourcesScore,
    balancedAllocation,
    imageLocality
  ],
  reserve: [volumeBinding, dynamicResources],
  permit: [],
  preBind: [volumeBinding, dynamicResources],
  postBind: []
}

/**
 * The default profile of a release. For releases in which conditions do not become taints, it filters nodes by their
 * conditions; it has the plugins of features that are on in the release.
 */
export const profileOf = (release: Release): Profile => {
  const gates = featureGatesOf(release)
  const missing = new Set<object>()
  if (!gates.NodeDeclaredFeatures) missing.add(nodeDeclaredFeatures)
  if (!gates.DynamicResourceAllocation) missing.add(dynamicResources).add(dynamicResourcesScore)
  const present = <A extends object>(plugins: ReadonlyArray<A>) => plugins.filter((plugin) => !missing.has(plugin))
  const filters = present(defaultProfile.filters)
  return {
    ...defaultProfile,
    filters: release.conditionTaints ? filters : [nodeCondition, ...filters],
    scores: present(defaultProfile.scores),
    reserve: present(defaultProfile.reserve),
    preBind: present(defaultProfile.preBind)
  }
}
