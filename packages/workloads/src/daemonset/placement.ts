import type { Pod, PodSpec, PodTemplateSpec, Release } from "@rollcall/api"
import { labelRevision } from "../history/revisions.ts"
import { daemonTolerations } from "./daemonPods.ts"

/** Upstream: apps/v1 DeprecatedTemplateGeneration, as a label of pods. */
const labelTemplateGeneration = "pod-template-generation"

/**
 * The node that the pod is on or was created for. Upstream: pkg/controller/daemon/util/daemonset_util.go
 * GetTargetNodeName.
 */
export const targetNodeOf = ({ spec }: Pod): string => {
  if (spec.nodeName) return spec.nodeName
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const { matchFields = [] } of terms) {
    const pin = matchFields.find(({ key, operator }) => key === "metadata.name" && operator === "In")
    if (pin?.values?.[0] !== undefined) return pin.values[0]
  }
  return ""
}

/** The spec for one node: its node affinity requires the node's name, besides what the template requires. */
export const pinnedTo = (spec: PodSpec, node: string): PodSpec => {
  const pin = { matchFields: [{ key: "metadata.name", operator: "In" as const, values: [node] }] }
  const { affinity = {} } = spec
  const before = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const terms = before.length === 0 ? [pin] : before.map((term) => ({ ...term, matchFields: pin.matchFields }))
  const nodeAffinity = {
    ...affinity.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms }
  }
  return { ...spec, affinity: { ...affinity, nodeAffinity }, tolerations: daemonTolerations(spec) }
}

/** The revision from which pods are created: its hash, and the template's generation. */
export interface DaemonRevision {
  readonly hash: string
  readonly generation: number
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
      [labelTemplateGeneration]: String(generation)
    }
  },
  spec: placement === "scheduled" ? pinnedTo(template.spec, node) : { ...template.spec, nodeName: node }
})
