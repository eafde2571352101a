import type { Binding, KubeObject, Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionPlugin, AdmissionReader } from "./Admission.ts"

const topologyLabels = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"] as const

/** Returns the object with its node's zone and region as labels. */
const withLabelsOf = (object: KubeObject, node: string, reader: AdmissionReader): KubeObject => {
  const labels = reader.get("Node", "", node)?.metadata.labels ?? {}
  const own = object.metadata.labels
  const added = topologyLabels.filter((label) => labels[label] !== undefined && labels[label] !== own?.[label])
  if (added.length === 0) return object
  const copied = Object.fromEntries(added.map((label) => [label, labels[label] ?? ""]))
  return { ...object, metadata: { ...object.metadata, labels: { ...own, ...copied } } }
}

/**
 * Gives a pod that is created on a node, or bound to one, the labels of its zone and region. Upstream:
 * plugin/pkg/admission/podtopologylabels; KEP-4742.
 */
export const podTopologyLabels: AdmissionPlugin = {
  name: "PodTopologyLabels",
  admits: (kind, verb, subresource) =>
    kind === "Pod" && verb === "create" && (subresource === undefined || subresource === "binding"),
  mutate: ({ object, subresource }, { reader }) => {
    if (object === undefined) return Result.succeed(object)
    if (subresource === undefined) {
      const { nodeName } = (object as Pod).spec
      return Result.succeed(nodeName ? withLabelsOf(object, nodeName, reader) : object)
    }
    const { target } = object as KubeObject & Binding
    return Result.succeed(target.kind === "Node" ? withLabelsOf(object, target.name, reader) : object)
  }
}
