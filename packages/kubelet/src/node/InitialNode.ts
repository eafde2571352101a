import {
  annotationControllerManagedAttach,
  labelArch,
  labelBetaArch,
  labelBetaOS,
  labelHostname,
  labelOS,
  type Node,
  type Taint,
  taintCloudUninitialized
} from "@rollcall/api"
import type { MachineInCloud } from "../runtime/NodeHost.ts"
import { computeNode, type NodeObservation } from "./NodeStatusOf.ts"
import type { NodeSetting } from "./StaticStatus.ts"

const uninitialized: Taint = { key: taintCloudUninitialized, value: "true", effect: "NoSchedule" }

/** Returns the Node with the cloud's data about its machine: labels and providerID. */
export const nodeInCloud = (node: Node, { labels, providerID }: MachineInCloud): Node => ({
  ...node,
  metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...labels } },
  spec: { ...node.spec, ...(providerID === "" ? {} : { providerID }) }
})

/**
 * Returns the Node that a kubelet registers, with a complete status. `now` is in the format of `metav1.Time`. Upstream:
 * pkg/kubelet/kubelet_node_status.go initialNode.
 */
export const initialNode = (name: string, setting: NodeSetting, observed: NodeObservation, now: string): Node => {
  const { config, machine } = setting
  const { architecture, operatingSystem } = machine
  const taints = config.externalCloudProvider
    ? [...config.registerWithTaints, uninitialized]
    : config.registerWithTaints
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        [labelHostname]: name,
        [labelOS]: operatingSystem,
        [labelArch]: architecture,
        [labelBetaOS]: operatingSystem,
        [labelBetaArch]: architecture,
        ...config.nodeLabels
      },
      ...(config.enableControllerAttachDetach ? { annotations: { [annotationControllerManagedAttach]: "true" } } : {})
    },
    spec: {
      ...(config.providerID === "" ? {} : { providerID: config.providerID }),
      ...(taints.length === 0 ? {} : { taints })
    }
  }
  return computeNode(node, setting, observed, now).node
}
