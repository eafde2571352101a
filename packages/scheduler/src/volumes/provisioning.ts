import {
  type CSIStorageCapacity,
  matchesLabelSelector,
  type Node,
  noProvisioner,
  type PersistentVolumeClaim,
  type StorageClass,
  storageClassNameOf,
  value
} from "@rollcall/api"
import type { Volumes } from "../cache/Volumes.ts"

/**
 * Whether a volume that a node can access can be provisioned for a claim. `full` means that the driver tracks capacity
 * and has not enough for the node.
 */
export type Provisionable = "yes" | "no" | "full"

type LabelledNode = Pick<Node, "metadata">

/**
 * Whether the class provisions volumes for the node, by allowedTopologies. Terms are ORed; a term without expressions
 * matches no node, and a class without terms matches every node.
 */
export const isTopologyAllowed = (
  { allowedTopologies = [] }: StorageClass,
  { metadata: { labels } }: LabelledNode
): boolean =>
  allowedTopologies.length === 0 ||
  allowedTopologies.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values }) => labels?.[key] !== undefined && values.includes(labels[key]))
  )

/** The size in bytes of the largest volume that can be provisioned; undefined if the object states none. */
export const volumeLimit = ({ capacity, maximumVolumeSize }: CSIStorageCapacity): number | undefined => {
  const limit = maximumVolumeSize ?? capacity
  return limit === undefined ? undefined : value(limit)
}

/** The capacities that suffice for the claim; undefined if the driver does not track capacity. */
const sufficientCapacities = (
  claim: PersistentVolumeClaim,
  { metadata: { name }, provisioner }: StorageClass,
  volumes: Volumes
): ReadonlyArray<CSIStorageCapacity> | undefined => {
  const requested = claim.spec?.resources?.requests?.storage
  if (requested === undefined || volumes.driver(provisioner)?.spec.storageCapacity !== true) return undefined
  const size = value(requested)
  return [...volumes.storageCapacities()].filter(
    (capacity) => capacity.storageClassName === name && (volumeLimit(capacity) ?? -1) >= size
  )
}

/**
 * Prepares the check whether a claim's class can provision a volume for a node.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go checkVolumeProvisions, hasEnoughCapacity.
 */
export const provisioningCheck = (
  claim: PersistentVolumeClaim,
  volumes: Volumes
): ((node: LabelledNode) => Provisionable) => {
  const storageClass = volumes.storageClass(storageClassNameOf(claim))
  const provisioner = storageClass?.provisioner ?? ""
  if (storageClass === undefined || provisioner === "" || provisioner === noProvisioner) return () => "no"
  const capacities = sufficientCapacities(claim, storageClass, volumes)
  return (node) => {
    if (!isTopologyAllowed(storageClass, node)) return "no"
    if (capacities === undefined) return "yes"
    const hasCapacity = capacities.some(
      ({ nodeTopology }) => nodeTopology !== undefined && matchesLabelSelector(nodeTopology, node.metadata.labels)
    )
    return hasCapacity ? "yes" : "full"
  }
}
