import { annotationSelectedNode, type Node, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import type { Volumes } from "../cache/Volumes.ts"
import type { VolumePlan } from "./AssumedVolumes.ts"
import { claimKeyOf } from "./claimFacts.ts"
import { candidatesFor, sizeOf } from "./matching.ts"
import type { PodClaims } from "./podClaims.ts"
import { provisioningOf } from "./provisioning.ts"
import { factsOf } from "./volumeFacts.ts"

/** Why a pod's volumes make a node infeasible. Upstream: binder.go ConflictReason. */
export const conflicts = {
  elsewhere: "node(s) didn't match PersistentVolume's node affinity",
  unbindable: "node(s) didn't find available persistent volumes to bind",
  full: "node(s) did not have enough free storage",
  gone: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
} as const

export type Conflict = keyof typeof conflicts

/**
 * The work on the pod's claims if it is scheduled on the node, or the conflicts with the node, in the order of
 * reports.
 */
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

/** The node for which a claim's volume is already being provisioned. */
const selectedNodeOf = (claim: PersistentVolumeClaim, { assumed }: Volumes): string | undefined =>
  assumed.nodeOf(claimKeyOf(claim)) ?? claim.metadata.annotations?.[annotationSelectedNode]

const nothing: ReadonlyArray<never> = []

/**
 * Finds volumes for claims with delayed binding: existing ones first, the smallest that suffices; else provisioned
 * ones.
 */
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
      } else if (candidates.isAssumed) return "unbindable"
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
 * Prepares the check of a pod's volumes against nodes: whether they are accessible, and what has to be done.
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
