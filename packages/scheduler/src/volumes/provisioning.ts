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

/** Whether a volume that a node can reach can be provisioned for a claim; `full`: there is not enough storage. */
export type Provisionable = "yes" | "no" | "full"

type AskedNode = Pick<Node, "metadata">

/** Terms are ORed; one without expressions admits no node, no terms admit every node. */
export const admitsNode = ({ allowedTopologies = [] }: StorageClass, { metadata: { labels } }: AskedNode): boolean =>
  allowedTopologies.length === 0 ||
  allowedTopologies.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values }) => labels?.[key] !== undefined && values.includes(labels[key]))
  )

/** The largest volume that a capacity can hold, in bytes; undefined when it has no limit. */
export const volumeLimit = ({ capacity, maximumVolumeSize }: CSIStorageCapacity): number | undefined => {
  const limit = maximumVolumeSize ?? capacity
  return limit === undefined ? undefined : value(limit)
}

/** The capacities with enough room for the claim; undefined when capacity is not tracked. */
const roomFor = (
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
 * Whether the class of a claim can provision a volume, node by node.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go checkVolumeProvisions, hasEnoughCapacity.
 */
export const provisioningOf = (
  claim: PersistentVolumeClaim,
  volumes: Volumes
): ((node: AskedNode) => Provisionable) => {
  const storageClass = volumes.storageClass(storageClassNameOf(claim))
  const provisioner = storageClass?.provisioner ?? ""
  if (storageClass === undefined || provisioner === "" || provisioner === noProvisioner) return () => "no"
  const room = roomFor(claim, storageClass, volumes)
  return (node) => {
    if (!admitsNode(storageClass, node)) return "no"
    if (room === undefined) return "yes"
    const isNear = room.some(
      ({ nodeTopology }) => nodeTopology !== undefined && matchesLabelSelector(nodeTopology, node.metadata.labels)
    )
    return isNear ? "yes" : "full"
  }
}
