import { labelZone, type Node, type StorageClass } from "@rollcall/api"
import { placeOf } from "./spreadHash.ts"

/** Drivers of storage that is reached over the network from anywhere in its cluster. */
const everywhere: ReadonlySet<string> = new Set([
  "efs.csi.aws.com",
  "fsx.csi.aws.com",
  "file.csi.azure.com",
  "blob.csi.azure.com",
  "filestore.csi.storage.gke.io",
  "nfs.csi.k8s.io",
  "smb.csi.k8s.io",
  "driver.longhorn.io"
])

const isCeph = (provisioner: string): boolean => /(^|\.)(rbd|cephfs)\.csi\.ceph\.com$/.test(provisioner)

/** Whether the volumes of a class can be reached from every zone: by what its driver is known for, or because the class says so. */
const isReachedFromEverywhere = ({ parameters = {}, provisioner }: StorageClass): boolean => {
  if (parameters.reach !== undefined) return parameters.reach === "everywhere"
  return everywhere.has(provisioner) || isCeph(provisioner) || /_ZRS$/i.test(parameters.skuName ?? "")
}

/** In how many zones a volume is. */
const copiesOf = ({ parameters }: StorageClass): number => (parameters?.["replication-type"] === "regional-pd" ? 2 : 1)

/** The zones that a class allows; empty where it does not say. Drivers have keys of their own for them. */
const allowedZones = ({ allowedTopologies = [] }: StorageClass): ReadonlyArray<string> => [
  ...new Set(
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.flatMap(({ key, values }) => (key.endsWith("/zone") ? values : []))
    )
  )
]

export const zoneOf = ({ metadata }: Pick<Node, "metadata">): string => metadata.labels?.[labelZone] ?? ""

export interface Whereabouts {
  readonly storageClass: StorageClass
  /** The name of the claim. */
  readonly claim: string
  /** Where its pod goes, if the scheduler has said so. */
  readonly selectedNode?: Node | undefined
  readonly nodes: () => ReadonlyArray<Node>
}

/**
 * The zones that a new volume can be reached from; none: from everywhere. That of the node that was selected, or of those that the
 * class allows, or that there are, the one that is the claim's turn.
 * Upstream: external-provisioner pkg/controller/topology.go GenerateAccessibilityRequirements.
 */
export const zonesFor = ({ claim, nodes, selectedNode, storageClass }: Whereabouts): ReadonlyArray<string> => {
  if (isReachedFromEverywhere(storageClass)) return []
  const copies = copiesOf(storageClass)
  const own = selectedNode === undefined ? "" : zoneOf(selectedNode)
  if (selectedNode !== undefined && (own === "" || copies === 1)) return own === "" ? [] : [own]
  const allowed = allowedZones(storageClass)
  const there =
    allowed.length > 0
      ? allowed
      : nodes()
          .map(zoneOf)
          .filter((zone) => zone !== "")
  const zones = [...new Set(there)].sort()
  if (zones.length === 0) return []
  const first = own === "" ? placeOf(claim, zones.length) : Math.max(0, zones.indexOf(own))
  return [...zones.slice(first), ...zones.slice(0, first)].slice(0, copies).sort()
}
