import { isPodTerminal, type PersistentVolume, type Pod } from "@rollcall/api"
import type { Informer } from "@rollcall/cluster"
import { claimsOfPod } from "../pods/claimsOfPod.ts"

/**
 * Whether a deleted pod's containers have terminated although the pod still exists. Upstream: pkg/volume/util
 * IsPodTerminated.
 */
const hasStopped = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (status?.containerStatuses ?? []).every(({ state }) => state?.running === undefined && state?.waiting === undefined)

/** Whether a pod still needs its volumes on its node. A pod that hangs in termination on a dead node does. */
export const needsVolumes = (pod: Pod): boolean => !isPodTerminal(pod) && !hasStopped(pod)

/** Which pods use which volume, by their bound claims. */
export class VolumeUse {
  private readonly claims: Informer<"PersistentVolumeClaim">
  private readonly podsByClaim = new Map<string, Map<string, Pod>>()

  constructor(claims: Informer<"PersistentVolumeClaim">) {
    this.claims = claims
  }

  /** Adds or updates a pod. The set of claims that a pod uses never changes. */
  set(pod: Pod): void {
    for (const claim of claimsOfPod(pod)) {
      const pods = this.podsByClaim.get(claim) ?? new Map<string, Pod>()
      this.podsByClaim.set(claim, pods)
      pods.set(pod.metadata.uid ?? "", pod)
    }
  }

  delete(pod: Pod): void {
    for (const claim of claimsOfPod(pod)) {
      const pods = this.podsByClaim.get(claim)
      if (pods?.delete(pod.metadata.uid ?? "") === true && pods.size === 0) this.podsByClaim.delete(claim)
    }
  }

  /** The names of the volumes that a pod uses. */
  volumesOf(pod: Pod): ReadonlyArray<string> {
    return claimsOfPod(pod).flatMap((claim) => this.claims.get(claim)?.spec?.volumeName ?? [])
  }

  /** Scheduled pods that need the volume. */
  podsWith({ metadata, spec }: PersistentVolume): ReadonlyArray<Pod> {
    const { name = "", namespace = "" } = spec?.claimRef ?? {}
    if (this.claims.find(name, namespace)?.spec?.volumeName !== metadata.name) return []
    const pods = [...(this.podsByClaim.get(`${namespace}/${name}`)?.values() ?? [])]
    return pods.filter((pod) => (pod.spec.nodeName ?? "") !== "" && needsVolumes(pod))
  }
}
