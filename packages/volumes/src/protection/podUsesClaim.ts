import { ephemeralClaimName, isControlledBy, type PersistentVolumeClaim, type Pod } from "@rollcall/api"

/** Whether the kubelet has stopped the deleted pod: its object is about to be removed. */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0

/**
 * Whether a pod protects a claim from deletion: any existing pod on a node does, whatever the state of its containers.
 * An unscheduled pod may wait for the claim, but is not started with a claim that is being deleted.
 * Upstream: pkg/controller/volume/pvcprotection/pvc_protection_controller.go podUsesPVC.
 */
export const podUsesClaim = (pod: Pod, claim: PersistentVolumeClaim): boolean => {
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
