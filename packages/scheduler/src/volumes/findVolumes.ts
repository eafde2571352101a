import { annotationSelectedNode, type Node, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import type { Volumes } from "../cache/Volumes.ts"
import { claimKeyOf } from "./claimFacts.ts"
import { candidatesFor, sizeOf } from "./matching.ts"
import type { PodClaims } from "./podClaims.ts"
import { provisioningOf } from "./provisioning.ts"
import type { VolumePlan } from "./VolumePromises.ts"
import { factsOf } from "./volumeFacts.ts"

/** Why a pod's volumes keep it from a node. Upstream: binder.go ConflictReason. */
export const conflicts = {
  elsewhere: "node(s) didn't match PersistentVolume's node affinity",
  unbindable: "node(s) didn't find available persistent volumes to bind",
  full: "node(s) did not have enough free storage",
  gone: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
} as const

export type Conflict = keyof typeof conflicts

/** What the pod needs done about its claims if it goes to a node, or what speaks against the node, in the order of reports. */
export type FindVolumes = (node: Node) => VolumePlan | ReadonlyArray<Conflict>

export const isConflict = (found: VolumePlan | ReadonlyArray<Conflict>): found is ReadonlyArray<Conflict> =>
  Array.isArray(found)

const nothingToDo: VolumePlan = { bindings: [], provisions: [] }

const checkBound = (bound: ReadonlyArray<PersistentVolumeClaim>, volumes: Volumes) => {
  const needed = bound.map(({ spec }) => volumes.volume(spec?.volumeName ?? ""))
  const reach = needed.map((volume) => (volume === undefined ? undefined : factsOf(volume).reaches))
  return (node: Node): Conflict | undefined => {
    for (const reaches of reach) {
      if (reaches === undefined) return "gone"
      if (!reaches(node)) return "elsewhere"
    }
    return undefined
  }
}

/** The node that a claim's volume is being made for already. */
const selectedNodeOf = (claim: PersistentVolumeClaim, { promises }: Volumes): string | undefined =>
  promises.nodeOf(claimKeyOf(claim)) ?? claim.metadata.annotations?.[annotationSelectedNode]

const nothing: ReadonlyArray<never> = []

/** Finds volumes for claims that wait for a pod: those that there are first, the smallest that will do; else new ones. */
const planDelayed = (delayed: ReadonlyArray<PersistentVolumeClaim>, volumes: Volumes) => {
  const ready = delayed.map((claim) => ({
    claim,
    selectedNode: selectedNodeOf(claim, volumes),
    size: sizeOf(claim),
    provisioning: provisioningOf(claim, volumes)
  }))
  const chosen = ready.filter(({ selectedNode }) => selectedNode !== undefined)
  const matching = ready
    .filter(({ selectedNode }) => selectedNode === undefined)
    .sort((left, right) => left.size - right.size)
    .map((each) => ({ ...each, candidates: candidatesFor(each.claim, volumes) }))
  return (node: Node): VolumePlan | Conflict => {
    for (const { selectedNode } of chosen) if (selectedNode !== node.metadata.name) return "unbindable"
    let bindings: VolumePlan["bindings"] = nothing
    let taken: ReadonlyArray<PersistentVolume> = nothing
    let made: ReadonlyArray<(typeof ready)[number]> = chosen
    for (const each of matching) {
      const { candidates, claim } = each
      const volume = candidates.pick(node, taken)
      if (volume !== undefined) {
        taken = [...taken, volume]
        bindings = [...bindings, { claim, volume }]
      } else if (candidates.isPromised) return "unbindable"
      else made = [...made, each]
    }
    for (const { provisioning } of made) {
      const answer = provisioning(node)
      if (answer !== "yes") return answer === "no" ? "unbindable" : "full"
    }
    return { bindings, provisions: made.map(({ claim }) => claim) }
  }
}

/**
 * Gets ready to say of each node whether a pod's volumes can be reached from it, and what has to be done for that.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go FindPodVolumes.
 */
export const findVolumes = ({ bound, delayed }: PodClaims, volumes: Volumes): FindVolumes => {
  const conflictOfBound = checkBound(bound, volumes)
  const plan = delayed.length === 0 ? () => nothingToDo : planDelayed(delayed, volumes)
  return (node) => {
    const ofBound = conflictOfBound(node)
    const ofDelayed = plan(node)
    if (typeof ofDelayed !== "string") return ofBound === undefined ? ofDelayed : [ofBound]
    if (ofBound === undefined) return [ofDelayed]
    return ofBound === "elsewhere" ? [ofBound, ofDelayed] : [ofDelayed, ofBound]
  }
}
