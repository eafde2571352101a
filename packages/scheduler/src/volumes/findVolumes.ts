import { annotationSelectedNode, type Node, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import type { Volumes } from "../cache/Volumes.ts"
import type { VolumePlan } from "./AssumedVolumes.ts"
import { claimKeyOf } from "./claimFacts.ts"
import { candidatesFor, sizeOf } from "./matching.ts"
import type { PodClaims } from "./podClaims.ts"
import { provisioningCheck } from "./provisioning.ts"
import { factsOf } from "./volumeFacts.ts"

/** Why a pod's volumes make a node infeasible. Upstream: binder.go ConflictReasons (ErrReasonNodeConflict, …). */
export const conflicts = {
  nodeConflict: "node(s) didn't match PersistentVolume's node affinity",
  bindConflict: "node(s) didn't find available persistent volumes to bind",
  notEnoughSpace: "node(s) did not have enough free storage",
  volumeNotFound: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
} as const

export type Conflict = keyof typeof conflicts

/**
 * Returns what has to be done for the pod's claims if the pod is scheduled on the node; or the conflicts with the node,
 * in the order in which messages list them.
 */
export type FindVolumes = (node: Node) => VolumePlan | ReadonlyArray<Conflict>

export const isConflict = (found: VolumePlan | ReadonlyArray<Conflict>): found is ReadonlyArray<Conflict> =>
  Array.isArray(found)

const emptyPlan: VolumePlan = { bindings: [], provisions: [] }

/** Prepares the check whether the volumes of bound claims exist and are accessible from a node. */
const checkBound = (bound: ReadonlyArray<PersistentVolumeClaim>, volumes: Volumes) => {
  const boundVolumes = bound.map(({ spec }) => volumes.volume(spec?.volumeName ?? ""))
  const affinities = boundVolumes.map((volume) =>
    volume === undefined ? undefined : factsOf(volume).nodeAffinityMatches
  )
  return (node: Node): Conflict | undefined => {
    for (const nodeAffinityMatches of affinities) {
      if (nodeAffinityMatches === undefined) return "volumeNotFound"
      if (!nodeAffinityMatches(node)) return "nodeConflict"
    }
    return undefined
  }
}

/** The node for which a claim's volume is already being provisioned. */
const selectedNodeOf = (claim: PersistentVolumeClaim, { assumed }: Volumes): string | undefined =>
  assumed.nodeOf(claimKeyOf(claim)) ?? claim.metadata.annotations?.[annotationSelectedNode]

/** Shared, so that a node without work allocates no list. */
const empty: ReadonlyArray<never> = []

/**
 * Finds volumes for claims with delayed binding. A claim gets the smallest existing volume that suffices; if there is
 * none, a volume has to be provisioned for it.
 */
const planDelayed = (delayed: ReadonlyArray<PersistentVolumeClaim>, volumes: Volumes) => {
  const requests = delayed.map((claim) => ({
    claim,
    selectedNode: selectedNodeOf(claim, volumes),
    size: sizeOf(claim),
    provisionableFor: provisioningCheck(claim, volumes)
  }))
  const withSelectedNode = requests.filter(({ selectedNode }) => selectedNode !== undefined)
  const withoutSelectedNode = requests
    .filter(({ selectedNode }) => selectedNode === undefined)
    .sort((left, right) => left.size - right.size)
    .map((each) => ({ ...each, candidates: candidatesFor(each.claim, volumes) }))
  return (node: Node): VolumePlan | Conflict => {
    for (const { selectedNode } of withSelectedNode) if (selectedNode !== node.metadata.name) return "bindConflict"
    let bindings: VolumePlan["bindings"] = empty
    let pickedVolumes: ReadonlyArray<PersistentVolume> = empty
    let toProvision: ReadonlyArray<(typeof requests)[number]> = withSelectedNode
    for (const request of withoutSelectedNode) {
      const { candidates, claim } = request
      const volume = candidates.pick(node, pickedVolumes)
      if (volume !== undefined) {
        pickedVolumes = [...pickedVolumes, volume]
        bindings = [...bindings, { claim, volume }]
      } else if (candidates.isAssumed) return "bindConflict"
      else toProvision = [...toProvision, request]
    }
    for (const { provisionableFor } of toProvision) {
      const provisionable = provisionableFor(node)
      if (provisionable !== "yes") return provisionable === "no" ? "bindConflict" : "notEnoughSpace"
    }
    return { bindings, provisions: toProvision.map(({ claim }) => claim) }
  }
}

/**
 * Prepares, once for a pod, the check of its claims against each node: whether the volumes are accessible from the
 * node, and what has to be done.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go FindPodVolumes.
 */
export const findVolumes = ({ bound, delayed }: PodClaims, volumes: Volumes): FindVolumes => {
  const conflictOfBound = checkBound(bound, volumes)
  const plan = delayed.length === 0 ? () => emptyPlan : planDelayed(delayed, volumes)
  return (node) => {
    const ofBound = conflictOfBound(node)
    const ofDelayed = plan(node)
    if (typeof ofDelayed !== "string") return ofBound === undefined ? ofDelayed : [ofBound]
    if (ofBound === undefined) return [ofDelayed]
    // The order of upstream: node affinity, binding, storage, missing volume.
    return ofBound === "nodeConflict" ? [ofBound, ofDelayed] : [ofDelayed, ofBound]
  }
}
