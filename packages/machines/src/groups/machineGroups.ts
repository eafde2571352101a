import type { KubeletConfig, StaticPodManifest } from "@rollcall/kubelet"
import type { MachineSpec } from "../MachineSpec.ts"
import { imagesOf } from "./images.ts"
import type { NodeGroup } from "./NodeGroup.ts"
import { hardwareOf } from "./topology.ts"

/** A group of machines with everything that they share. */
export interface MachineGroup {
  readonly group: NodeGroup
  readonly names: ReadonlyArray<string>
  /** The configuration of the group's kubelets, in which the group's own fields already override the common ones. */
  readonly kubelet: KubeletConfig
  /** The manifests in the static pod folder of each member. */
  readonly staticPods?: ReadonlyArray<StaticPodManifest>
}

const labelsOf = (group: NodeGroup): Readonly<Record<string, string>> => ({
  ...(group.zone === undefined ? {} : { "topology.kubernetes.io/zone": group.zone }),
  ...(group.region === undefined ? {} : { "topology.kubernetes.io/region": group.region }),
  ...group.labels
})

/** Returns the machines of a group. The group's labels and taints are added to those of its kubelets' configuration. */
export const machinesOfGroup = (
  { group, kubelet, names, staticPods }: MachineGroup,
  overrides: Partial<KubeletConfig> = {}
): ReadonlyArray<MachineSpec> => {
  const config: KubeletConfig = {
    ...kubelet,
    ...overrides,
    nodeLabels: { ...kubelet.nodeLabels, ...labelsOf(group) },
    registerWithTaints: [...kubelet.registerWithTaints, ...(group.taints ?? []).map((taint) => ({ ...taint }))]
  }
  const { capacity, swapBytes, topology } = hardwareOf(group)
  const shared = {
    group: group.name,
    config,
    capacity,
    swapBytes,
    ...(staticPods === undefined ? {} : { staticPods }),
    ...(group.images === undefined ? {} : { images: imagesOf(group.images) }),
    ...(group.runtimeHandlers === undefined ? {} : { runtimeHandlers: group.runtimeHandlers }),
    ...(topology === undefined ? {} : { topology })
  }
  return names.map((name) => ({ name, ...shared }))
}
