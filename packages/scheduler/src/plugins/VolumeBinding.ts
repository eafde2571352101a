import { matchesTerm, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import type { PodInfo } from "../cache/CacheRecords.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import { claimNotFound, mounts, unresolvable } from "./claims.ts"

const name = "VolumeBinding"

const elsewhere = unresolvable(name, "node(s) didn't match PersistentVolume's node affinity")
const volumeGone = unresolvable(name, "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")

const quoted = (text: string): string => JSON.stringify(text)

/** What is wrong with a claim, whatever node the pod would go to. */
const faultOf = (
  { name: podName, namespace, pod }: PodInfo,
  claimName: string,
  claim: PersistentVolumeClaim | undefined,
  isEphemeral: boolean
): Rejection | undefined => {
  if (claim === undefined) {
    return isEphemeral
      ? unresolvable(
          name,
          `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted(claimName)}`
        )
      : claimNotFound(name, claimName)
  }
  if (claim.status?.phase === "Lost") {
    const { volumeName = "" } = claim.spec ?? {}
    const text = `persistentvolumeclaim ${quoted(claimName)} bound to non-existent persistentvolume ${quoted(volumeName)}`
    return unresolvable(name, text)
  }
  if (claim.metadata.deletionTimestamp !== undefined) {
    return unresolvable(name, `persistentvolumeclaim ${quoted(claimName)} is being deleted`)
  }
  const isOwner = claim.metadata.ownerReferences?.some(
    ({ controller, uid }) => controller === true && uid === pod.metadata.uid
  )
  if (!isEphemeral || isOwner === true) return undefined
  const text = `PVC ${namespace}/${claimName} was not created for pod ${namespace}/${podName} (pod is not owner)`
  return unresolvable(name, text)
}

type Placed = (node: Parameters<ReturnType<typeof matchesTerm>>[0]) => boolean

/** For each volume that is bound, where it can be reached from; undefined for one that is not there any more. */
const reachOf = (volume: PersistentVolume | undefined): Placed | undefined => {
  if (volume === undefined) return undefined
  const selector = volume.spec?.nodeAffinity?.required
  if (selector === undefined) return () => true
  const terms = selector.nodeSelectorTerms.map(matchesTerm)
  return (node) => terms.some((matches) => matches(node))
}

/** Where the pod's bound volumes can be reached from, in the order of the pod; or what is wrong with a claim. */
const reachOfVolumes = (pod: PodInfo, { volumes }: SchedulingCache): ReadonlyArray<Placed | undefined> | Rejection => {
  const { claims = [], ephemeralClaims = [] } = pod.volumes ?? {}
  const reach: Array<Placed | undefined> = []
  for (const [names, isEphemeral] of [
    [claims, false],
    [ephemeralClaims, true]
  ] as const) {
    for (const claimName of names) {
      const claim = volumes.claim(pod.namespace, claimName)
      const fault = faultOf(pod, claimName, claim, isEphemeral)
      if (fault !== undefined) return fault
      const { volumeName = "" } = claim?.spec ?? {}
      // One that is not bound yet is bound where the pod goes.
      if (volumeName !== "") reach.push(reachOf(volumes.volume(volumeName)))
    }
  }
  return reach
}

/**
 * Pods go where their bound volumes are. Claims that are not bound yet keep no node away.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding.
 */
export const volumeBinding: FilterPlugin = {
  name,
  prepare: (pod, cache) => {
    if (cache.volumes.isEmpty) return skip
    const reach = reachOfVolumes(pod, cache)
    if ("code" in reach) return { _tag: "Reject", rejection: reach }
    if (reach.length === 0) return skip
    return {
      _tag: "Check",
      check: ({ node }) => {
        if (node === undefined) return elsewhere
        for (const reaches of reach) {
          if (reaches === undefined) return volumeGone
          if (!reaches(node)) return elsewhere
        }
        return undefined
      }
    }
  },
  hint: (pod, event) => {
    switch (event._tag) {
      case "NodeAdded":
      case "VolumeChanged":
        return true
      case "NodeUpdated":
        return event.change.labels
      case "ClaimChanged":
        return mounts(pod, event.claim)
      case "StorageClassChanged":
      case "CSINodeChanged":
        return event.before === undefined
      default:
        return false
    }
  }
}
