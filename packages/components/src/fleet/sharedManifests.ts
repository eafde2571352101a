import type { StaticPodManifest } from "@rollcall/kubelet"
import type { Machine, MachineSpec } from "@rollcall/machines"

/**
 * The manifests at a path that all kubelets of a fleet share, including kubelets that start later, in addition to those
 * of a group.
 */
export const sharedManifests = () => {
  const kubelets = new Map<string, (manifests: ReadonlyArray<StaticPodManifest>) => void>()
  let current: ReadonlyArray<StaticPodManifest> = []
  const onMachine = ({ kubelet, name }: Machine, { staticPods = [] }: MachineSpec) => {
    const apply = (manifests: ReadonlyArray<StaticPodManifest>) => kubelet.setStaticPods([...staticPods, ...manifests])
    kubelets.set(name, apply)
    if (current.length > 0) apply(current)
  }
  const setStaticPods = (manifests: ReadonlyArray<StaticPodManifest>) => {
    current = manifests
    for (const apply of kubelets.values()) apply(current)
  }
  return { onMachine, setStaticPods }
}
