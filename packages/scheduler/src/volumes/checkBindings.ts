import { annotationSelectedNode, type Node, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import { isOlder } from "@rollcall/cluster"
import type { Volumes } from "../cache/Volumes.ts"
import type { VolumePlan } from "./AssumedVolumes.ts"
import { isFullyBound, quoted } from "./claimFacts.ts"
import { factsOf } from "./volumeFacts.ts"

/** The state of a pod's claims: bound, in progress, or failed. */
export type BindingState = "bound" | "waiting" | { readonly problem: string }

const cannotReach = ({ metadata }: PersistentVolume, node: string): BindingState => ({
  problem: `pv ${quoted(metadata.name)} node affinity doesn't match node ${quoted(node)}: no matching NodeSelectorTerms`
})

const claimNow = ({ metadata }: PersistentVolumeClaim, volumes: Volumes): PersistentVolumeClaim | undefined => {
  const claim = volumes.claim(metadata.namespace ?? "", metadata.name ?? "")
  return claim?.metadata.uid === metadata.uid ? claim : undefined
}

const noClaim = ({ metadata }: PersistentVolumeClaim): string =>
  `persistentvolumeclaims ${quoted(`${metadata.namespace ?? ""}/${metadata.name}`)} not found`

const checkBinding = (
  { claim, volume }: VolumePlan["bindings"][number],
  volumes: Volumes,
  node: Node
): BindingState => {
  const { name = "" } = volume.metadata
  const seen = volumes.volume(name)
  if (seen === undefined) return { problem: `failed to check binding: persistentvolumes ${quoted(name)} not found` }
  const seenClaim = claimNow(claim, volumes)
  if (seenClaim === undefined) return { problem: `failed to check binding: ${noClaim(claim)}` }
  if (isOlder(seen, volume)) return "waiting"
  if (!factsOf(seen).reaches(node)) return cannotReach(seen, node.metadata.name ?? "")
  if ((seen.spec?.claimRef?.uid ?? "") === "") return { problem: `ClaimRef got reset for pv ${quoted(name)}` }
  return isFullyBound(seenClaim) ? "bound" : "waiting"
}

const checkProvision = (claim: PersistentVolumeClaim, volumes: Volumes, node: Node): BindingState => {
  const seen = claimNow(claim, volumes)
  if (seen === undefined) return { problem: `failed to check provisioning pvc: ${noClaim(claim)}` }
  if (isOlder(seen, claim)) return "waiting"
  const { annotations, name } = seen.metadata
  if (annotations === undefined) return { problem: `selectedNode annotation reset for PVC ${quoted(name)}` }
  // The provisioner has given up, and requests another node.
  if (annotations[annotationSelectedNode] !== node.metadata.name) {
    return { problem: `provisioning failed for PVC ${quoted(name)}` }
  }
  const { volumeName = "" } = seen.spec ?? {}
  if (volumeName === "") return "waiting"
  const volume = volumes.volume(volumeName)
  if (volume === undefined) return "waiting"
  if (!factsOf(volume).reaches(node)) return cannotReach(volume, node.metadata.name ?? "")
  return isFullyBound(seen) ? "bound" : "waiting"
}

/**
 * Whether all of a pod's assumed bindings have been observed in the API. The plan contains the written objects.
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
