import { annotationSelectedNode, type Node, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import { isOlder } from "@rollcall/cluster"
import type { Volumes } from "../cache/Volumes.ts"
import type { VolumePlan } from "./AssumedVolumes.ts"
import { isFullyBound, quoted } from "./claimFacts.ts"
import { factsOf } from "./volumeFacts.ts"

/**
 * The state of a pod's claims: all are `bound`; the scheduler is `waiting` for some; or `problem` says why the pod has
 * to be scheduled again.
 */
export type BindingState = "bound" | "waiting" | { readonly problem: string }

/** The failure of a volume that is not accessible from the node: labels or affinity may have changed since scheduling. */
const affinityMismatch = ({ metadata }: PersistentVolume, node: string): BindingState => ({
  problem: `pv ${quoted(metadata.name)} node affinity doesn't match node ${quoted(node)}: no matching NodeSelectorTerms`
})

/** The current version of a claim; undefined if it was deleted, even if there is a new claim of the same name. */
const currentClaim = ({ metadata }: PersistentVolumeClaim, volumes: Volumes): PersistentVolumeClaim | undefined => {
  const cached = volumes.claim(metadata.namespace ?? "", metadata.name ?? "")
  return cached?.metadata.uid === metadata.uid ? cached : undefined
}

const claimNotFoundMessage = ({ metadata }: PersistentVolumeClaim): string =>
  `persistentvolumeclaims ${quoted(`${metadata.namespace ?? ""}/${metadata.name}`)} not found`

const checkBinding = (
  { claim, volume }: VolumePlan["bindings"][number],
  volumes: Volumes,
  node: Node
): BindingState => {
  const { name = "" } = volume.metadata
  const cachedVolume = volumes.volume(name)
  if (cachedVolume === undefined)
    return { problem: `failed to check binding: persistentvolumes ${quoted(name)} not found` }
  const cachedClaim = currentClaim(claim, volumes)
  if (cachedClaim === undefined) return { problem: `failed to check binding: ${claimNotFoundMessage(claim)}` }
  // The watch has not delivered the written version yet.
  if (isOlder(cachedVolume, volume)) return "waiting"
  if (!factsOf(cachedVolume).nodeAffinityMatches(node)) return affinityMismatch(cachedVolume, node.metadata.name ?? "")
  if ((cachedVolume.spec?.claimRef?.uid ?? "") === "") return { problem: `ClaimRef got reset for pv ${quoted(name)}` }
  return isFullyBound(cachedClaim) ? "bound" : "waiting"
}

const checkProvision = (claim: PersistentVolumeClaim, volumes: Volumes, node: Node): BindingState => {
  const cached = currentClaim(claim, volumes)
  if (cached === undefined) return { problem: `failed to check provisioning pvc: ${claimNotFoundMessage(claim)}` }
  if (isOlder(cached, claim)) return "waiting"
  const { annotations, name } = cached.metadata
  // As upstream: a claim without any annotation has another message than one that only lacks this annotation.
  if (annotations === undefined) return { problem: `selectedNode annotation reset for PVC ${quoted(name)}` }
  // A provisioner that fails removes the annotation, so that the scheduler selects another node.
  if (annotations[annotationSelectedNode] !== node.metadata.name) {
    return { problem: `provisioning failed for PVC ${quoted(name)}` }
  }
  const { volumeName = "" } = cached.spec ?? {}
  if (volumeName === "") return "waiting"
  const volume = volumes.volume(volumeName)
  // No failure, unlike in `checkBinding`: the watch of claims may be ahead of the watch of volumes.
  if (volume === undefined) return "waiting"
  if (!factsOf(volume).nodeAffinityMatches(node)) return affinityMismatch(volume, node.metadata.name ?? "")
  return isFullyBound(cached) ? "bound" : "waiting"
}

/**
 * Whether all claims of a pod are bound, by the objects in the scheduler's cache. `bindings` and `provisions` contain
 * the objects that the API server returned when `bindVolumes` wrote them: an older version in the cache is not judged.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go checkBindings.
 */
export const checkBindings = (
  { bindings, provisions }: VolumePlan,
  volumes: Volumes,
  nodeName: string,
  node: Node | undefined
): BindingState => {
  if (node === undefined)
    return { problem: `failed to get node ${quoted(nodeName)}: node ${quoted(nodeName)} not found` }
  for (const binding of bindings) {
    const state = checkBinding(binding, volumes, node)
    if (state !== "bound") return state
  }
  for (const claim of provisions) {
    const state = checkProvision(claim, volumes, node)
    if (state !== "bound") return state
  }
  return "bound"
}
