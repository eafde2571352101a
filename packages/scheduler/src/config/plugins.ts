import type { PermitPlugin, PostBindPlugin, PreBindPlugin, ReservePlugin } from "../BindingPlugin.ts"
import type { FilterPlugin, ScorePlugin } from "../Plugin.ts"
import { balancedAllocation, balancedAllocationOver } from "../plugins/BalancedAllocation.ts"
import { dynamicResourcesScore, dynamicResourcesWith } from "../plugins/DynamicResources.ts"
import { imageLocality } from "../plugins/ImageLocality.ts"
import { interPodAffinity } from "../plugins/InterPodAffinity.ts"
import { interPodAffinityScoreWith } from "../plugins/InterPodAffinityScore.ts"
import { leastAllocated } from "../plugins/LeastAllocated.ts"
import { nodeAffinityScoreWith, nodeAffinityWith } from "../plugins/NodeAffinity.ts"
import { nodeDeclaredFeatures } from "../plugins/NodeDeclaredFeatures.ts"
import { nodeName } from "../plugins/NodeName.ts"
import { nodePorts } from "../plugins/NodePorts.ts"
import { nodeResourcesFitWith } from "../plugins/NodeResourcesFit.ts"
import { nodeUnschedulable } from "../plugins/NodeUnschedulable.ts"
import { nodeVolumeLimits } from "../plugins/NodeVolumeLimits.ts"
import { podTopologySpreadWith } from "../plugins/PodTopologySpread.ts"
import { podTopologySpreadScoreWith } from "../plugins/PodTopologySpreadScore.ts"
import { resourcesScore } from "../plugins/ScoringStrategy.ts"
import { taintToleration, taintTolerationScore } from "../plugins/TaintToleration.ts"
import { volumeBindingWith } from "../plugins/VolumeBinding.ts"
import { volumeRestrictions } from "../plugins/VolumeRestrictions.ts"
import { volumeZone } from "../plugins/VolumeZone.ts"
import {
  readBalancedArgs,
  readDynamicResourcesArgs,
  readFitArgs,
  readInterPodAffinityArgs,
  readNodeAffinityArgs,
  readSpreadArgs,
  readVolumeBindingArgs
} from "./pluginArgs.ts"
import type { Reader } from "./Reader.ts"

/** The extension points that a plugin implements. */
export interface PluginParts {
  readonly filter?: FilterPlugin
  /** Its `weight` applies unless the profile gives another one. */
  readonly score?: ScorePlugin
  readonly reserve?: ReservePlugin
  readonly permit?: PermitPlugin
  readonly preBind?: PreBindPlugin
  readonly postBind?: PostBindPlugin
}

/**
 * Makes a plugin from its `args` in a configuration, which may be absent. `path` is the place of the args; problems are
 * added to the reader.
 */
export type PluginFactory = (args: unknown, path: string, reader: Reader) => PluginParts

/** Plugins by their name in a configuration. */
export type PluginRegistry = Readonly<Record<string, PluginFactory>>

/** The factory of a plugin that takes no arguments. */
export const plain =
  (parts: PluginParts): PluginFactory =>
  (args, path, reader) => {
    reader.object(args, path, ["apiVersion", "kind"])
    return parts
  }

/** Kubernetes' own plugins, in the default order. Upstream: pkg/scheduler/framework/plugins/registry.go. */
export const defaultPlugins: PluginRegistry = {
  NodeUnschedulable: plain({ filter: nodeUnschedulable }),
  NodeName: plain({ filter: nodeName }),
  TaintToleration: plain({ filter: taintToleration, score: taintTolerationScore }),
  NodeAffinity: (args, path, reader) => {
    const added = readNodeAffinityArgs(reader, args, path)
    return { filter: nodeAffinityWith(added), score: nodeAffinityScoreWith(added) }
  },
  NodePorts: plain({ filter: nodePorts }),
  NodeResourcesFit: (args, path, reader) => {
    const { scoringStrategy, ...ignored } = readFitArgs(reader, args, path)
    const score = scoringStrategy === undefined ? leastAllocated : resourcesScore(scoringStrategy)
    return { filter: nodeResourcesFitWith(ignored), score }
  },
  VolumeRestrictions: plain({ filter: volumeRestrictions }),
  NodeVolumeLimits: plain({ filter: nodeVolumeLimits }),
  VolumeBinding: (args, path, reader) => {
    const plugin = volumeBindingWith(readVolumeBindingArgs(reader, args, path))
    return { filter: plugin, reserve: plugin, preBind: plugin }
  },
  VolumeZone: plain({ filter: volumeZone }),
  PodTopologySpread: (args, path, reader) => {
    const defaults = readSpreadArgs(reader, args, path)
    return { filter: podTopologySpreadWith(defaults), score: podTopologySpreadScoreWith(defaults) }
  },
  InterPodAffinity: (args, path, reader) => ({
    filter: interPodAffinity,
    score: interPodAffinityScoreWith(readInterPodAffinityArgs(reader, args, path))
  }),
  DynamicResources: (args, path, reader) => {
    const plugin = dynamicResourcesWith(readDynamicResourcesArgs(reader, args, path))
    return { filter: plugin, score: dynamicResourcesScore, reserve: plugin, preBind: plugin }
  },
  NodeResourcesBalancedAllocation: (args, path, reader) => {
    const resources = readBalancedArgs(reader, args, path)
    return { score: resources.length === 0 ? balancedAllocation : balancedAllocationOver(resources) }
  },
  ImageLocality: plain({ score: imageLocality }),
  NodeDeclaredFeatures: plain({ filter: nodeDeclaredFeatures })
}
