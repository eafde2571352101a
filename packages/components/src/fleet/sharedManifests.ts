import type { StaticPodManifest } from "@rollcall/kubelet"
import type { Machine, MachineSpec } from "@rollcall/machines"

/** The manifests at a path that all kubelets of a fleet share, including kubelets that start later, in addition to those of a group. */
export const sharedManifests = () => {
  const kubelets = new Map<string, (manifests: ReadonlyArray<StaticPodManifest>) => void>()
  let now: ReadonlyArray<StaticPodManifest> = []
  const onMachine = ({ kubelet, name }: Machine, { staticPods = [] }: MachineSpec) => {
    const tell = (manifests: ReadonlyArray<StaticPodManifest>) => kubelet.setStaticPods([...staticPods, ...manifests])
    kubelets.set(name, tell)
    if (now.length > 0) tell(now)
  }
  const setStaticPods = (manifests: ReadonlyArray<StaticPodManifest>) => {
    now = manifests
    for (const tell of kubelets.values()) tell(now)
  }
  return { onMachine, setStaticPods }
}
