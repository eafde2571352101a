import { matchesTerm, type PersistentVolume } from "@rollcall/api"
import type { PodInfo } from "../cache/CacheRecords.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { claimNamesOf } from "../cache/Volumes.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"

const name = "VolumeBinding"

const reject = (reason: string): Rejection => ({
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: [reason]
})

const elsewhere = reject("node(s) didn't match PersistentVolume's node affinity")
const volumeGone = reject("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")

interface Bound {
  readonly volumes: ReadonlyArray<PersistentVolume>
  readonly isVolumeGone: boolean
}

/** The volumes that the pod's claims are bound to, or what is wrong with the claims. */
const boundVolumes = ({ namespace, pod }: PodInfo, { volumes: known }: SchedulingCache): Bound | Rejection => {
  const volumes: Array<PersistentVolume> = []
  let isVolumeGone = false
  for (const claimName of claimNamesOf(pod)) {
    const claim = known.claim(namespace, claimName)
    if (claim === undefined) return reject(`persistentvolumeclaim ${JSON.stringify(claimName)} not found`)
    if (claim.metadata.deletionTimestamp !== undefined) {
      return reject(`persistentvolumeclaim ${JSON.stringify(claimName)} is being deleted`)
    }
    const { volumeName = "" } = claim.spec ?? {}
    // Not bound yet: it is bound where the pod goes.
    if (volumeName === "") continue
    const volume = known.volume(volumeName)
    if (volume === undefined) isVolumeGone = true
    else volumes.push(volume)
  }
  return { volumes, isVolumeGone }
}

/**
 * Pods go where their bound volumes are. Claims that are not bound yet keep no node away.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding.
 */
export const volumeBinding: FilterPlugin = {
  name,
  prepare: (pod, cache) => {
    if (cache.volumes.isEmpty || claimNamesOf(pod.pod).length === 0) return skip
    const bound = boundVolumes(pod, cache)
    if ("code" in bound) return { _tag: "Reject", rejection: bound }
    if (bound.isVolumeGone) return { _tag: "Check", check: () => volumeGone }
    const required = bound.volumes.flatMap(({ spec }) => {
      const selector = spec?.nodeAffinity?.required
      return selector === undefined ? [] : [selector.nodeSelectorTerms.map(matchesTerm)]
    })
    if (required.length === 0) return skip
    return {
      _tag: "Check",
      check: ({ node }) =>
        node !== undefined && required.every((terms) => terms.some((matches) => matches(node))) ? undefined : elsewhere
    }
  },
  hint: (_, event) => event._tag === "NodeAdded" || (event._tag === "NodeUpdated" && event.change.labels)
}
