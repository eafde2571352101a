import { isControlledBy, type PersistentVolumeClaim, type Pod } from "@rollcall/api"
import { ephemeralClaimName } from "../pods/claimsOfPod.ts"

/** Nothing of it runs, and its deletion is granted. */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0

/**
 * Whether a pod keeps a claim from going: any pod that is there and on a node, whatever became of its containers. One that is on no
 * node may wait for it, but is not let start on a claim that is on its way out.
 * Upstream: pkg/controller/volume/pvcprotection/pvc_protection_controller.go podUsesPVC.
 */
export const keepsClaim = (pod: Pod, claim: PersistentVolumeClaim): boolean => {
  if (!pod.spec.nodeName || pod.metadata.namespace !== claim.metadata.namespace) return false
  const { name } = claim.metadata
  return (pod.spec.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === name ||
      (volume.ephemeral !== undefined &&
        !isShutDown(pod) &&
        ephemeralClaimName(pod, volume.name) === name &&
        isControlledBy(claim, pod))
  )
}
