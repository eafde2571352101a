import { type PersistentVolumeClaim, storageClassNameOf } from "@rollcall/api"
import type { PodInfo } from "../cache/CacheRecords.ts"
import type { Volumes } from "../cache/Volumes.ts"
import { isFullyBound, quoted } from "./claimFacts.ts"

/** The claims of a pod, if all of them are usable. */
export interface PodClaims {
  readonly bound: ReadonlyArray<PersistentVolumeClaim>
  /** Claims that the scheduler binds, after it has selected a node for the first pod that uses them. */
  readonly delayed: ReadonlyArray<PersistentVolumeClaim>
}

/** Returns why a claim makes the pod unschedulable on every node; undefined if it does not. */
const faultOf = (
  { name: podName, namespace, pod }: PodInfo,
  claimName: string,
  claim: PersistentVolumeClaim | undefined,
  isEphemeral: boolean
): string | undefined => {
  if (claim === undefined) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted(claimName)}`
      : `persistentvolumeclaim ${quoted(claimName)} not found`
  }
  if (claim.status?.phase === "Lost") {
    const volumeName = quoted(claim.spec?.volumeName)
    return `persistentvolumeclaim ${quoted(claimName)} bound to non-existent persistentvolume ${volumeName}`
  }
  if (claim.metadata.deletionTimestamp !== undefined) {
    return `persistentvolumeclaim ${quoted(claimName)} is being deleted`
  }
  if (!isEphemeral) return undefined
  const isOwner = claim.metadata.ownerReferences?.some(
    ({ controller, uid }) => controller === true && uid === pod.metadata.uid
  )
  if (isOwner === true) return undefined
  return `PVC ${namespace}/${claimName} was not created for pod ${namespace}/${podName} (pod is not owner)`
}

/** Whether the scheduler binds the claim: it names no volume, and its class has WaitForFirstConsumer. */
const isDelayed = (claim: PersistentVolumeClaim, volumes: Volumes): boolean =>
  (claim.spec?.volumeName ?? "") === "" &&
  volumes.storageClass(storageClassNameOf(claim))?.volumeBindingMode === "WaitForFirstConsumer"

/**
 * Separates a pod's claims by state; or returns, as `fault`, why the pod is unschedulable on every node. Upstream:
 * pkg/scheduler/framework/plugins/volumebinding PreFilter, GetPodVolumeClaims.
 */
export const podClaimsByState = (pod: PodInfo, volumes: Volumes): PodClaims | { readonly fault: string } => {
  const { claims = [], ephemeralClaims = [] } = pod.volumes ?? {}
  const bound: Array<PersistentVolumeClaim> = []
  const delayed: Array<PersistentVolumeClaim> = []
  let hasUnboundImmediate = false
  for (const [names, isEphemeral] of [
    [claims, false],
    [ephemeralClaims, true]
  ] as const) {
    for (const claimName of names) {
      const claim = volumes.claim(pod.namespace, claimName)
      const fault = faultOf(pod, claimName, claim, isEphemeral)
      if (fault !== undefined) return { fault }
      if (claim === undefined) continue
      if (isFullyBound(claim)) bound.push(claim)
      else if (isDelayed(claim, volumes)) delayed.push(claim)
      else hasUnboundImmediate = true
    }
  }
  return hasUnboundImmediate ? { fault: "pod has unbound immediate PersistentVolumeClaims" } : { bound, delayed }
}
