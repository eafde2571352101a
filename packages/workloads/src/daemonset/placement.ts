import type { Pod, PodSpec, PodTemplateSpec, Release } from "@rollcall/api"
import { labelRevision } from "../history/revisions.ts"
import { daemonTolerations } from "./daemonPods.ts"

/** Upstream: apps/v1 DeprecatedTemplateGeneration, as a label of pods. */
const labelTemplateGeneration = "pod-template-generation"

/**
 * Returns the name of the node that the pod is on or was created for; "" if it has none. Upstream:
 * pkg/controller/daemon/util/daemonset_util.go GetTargetNodeName.
 */
export const targetNodeOf = ({ spec }: Pod): string => {
  if (spec.nodeName) return spec.nodeName
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const { matchFields = [] } of terms) {
    const requirement = matchFields.find(({ key, operator }) => key === "metadata.name" && operator === "In")
    if (requirement?.values?.[0] !== undefined) return requirement.values[0]
  }
  return ""
}

/**
 * Returns the spec for one node: its node affinity requires the node's name in place of what the template requires,
 * which the choice of nodes has respected, and it has the tolerations of daemon pods. Upstream: ReplaceDaemonSetPodNodeNameNodeAffinity.
 */
export const requireNode = (spec: PodSpec, node: string): PodSpec => {
  const nameTerm = { matchFields: [{ key: "metadata.name", operator: "In" as const, values: [node] }] }
  const { affinity = {} } = spec
  const nodeAffinity = {
    ...affinity.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [nameTerm] }
  }
  return { ...spec, affinity: { ...affinity, nodeAffinity }, tolerations: daemonTolerations(spec) }
}

/** The revision from which pods are created: its hash, and the template's generation. */
export interface DaemonRevision {
  readonly hash: string
  readonly generation: string | undefined
}

/** The template of the pod for one node. Upstream: pkg/controller/daemon/util/daemonset_util.go CreatePodTemplate. */
export const daemonTemplate = (
  template: PodTemplateSpec,
  node: string,
  { generation, hash }: DaemonRevision,
  placement: Release["daemonSetPods"]
): PodTemplateSpec => ({
  metadata: {
    ...template.metadata,
    labels: {
      ...template.metadata?.labels,
      [labelRevision]: hash,
      ...(generation === undefined ? {} : { [labelTemplateGeneration]: generation })
    }
  },
  spec: placement === "scheduled" ? requireNode(template.spec, node) : { ...template.spec, nodeName: node }
})
