import { labelZone, type Node, type StorageClass } from "@rollcall/api"
import { zoneIndexOf } from "./spreadHash.ts"

/** Drivers of network storage that is accessible from all zones. */
const zonelessDrivers: ReadonlySet<string> = new Set([
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

/** Whether volumes of a class are reachable from every zone, by the nature of the driver or the class's parameters. */
const isReachableEverywhere = ({ parameters = {}, provisioner }: StorageClass): boolean => {
  if (parameters.reach !== undefined) return parameters.reach === "everywhere"
  return zonelessDrivers.has(provisioner) || isCeph(provisioner) || /_ZRS$/i.test(parameters.skuName ?? "")
}

/** The number of zones that hold a replica of the volume. */
const replicaZonesOf = ({ parameters }: StorageClass): number =>
  parameters?.["replication-type"] === "regional-pd" ? 2 : 1

/**
 * The zones that a class allows; empty means all. The key need only end in `/zone`: some drivers have keys of their
 * own.
 */
const allowedZones = ({ allowedTopologies = [] }: StorageClass): ReadonlyArray<string> => [
  ...new Set(
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.flatMap(({ key, values }) => (key.endsWith("/zone") ? values : []))
    )
  )
]

export const zoneOf = ({ metadata }: Pick<Node, "metadata">): string => metadata.labels?.[labelZone] ?? ""

/** What the zones of a new volume depend on. */
export interface ProvisioningTopology {
  readonly storageClass: StorageClass
  /** The name of the claim. */
  readonly claim: string
  /** The node that the scheduler selected for the claim's pod; undefined if the claim is provisioned before. */
  readonly selectedNode?: Node | undefined
  readonly nodes: () => ReadonlyArray<Node>
}

/**
 * The zones from which a new volume is accessible; empty means all. That is the zone of the selected node. Without one,
 * and for further replicas, zones follow each other by the claim's ordinal (see `zoneIndexOf`), among those that the
 * class allows, or that exist. Upstream: external-provisioner pkg/controller/topology.go
 * GenerateAccessibilityRequirements.
 */
export const zonesFor = ({ claim, nodes, selectedNode, storageClass }: ProvisioningTopology): ReadonlyArray<string> => {
  if (isReachableEverywhere(storageClass)) return []
  const zoneCount = replicaZonesOf(storageClass)
  const selectedZone = selectedNode === undefined ? "" : zoneOf(selectedNode)
  if (selectedNode !== undefined && (selectedZone === "" || zoneCount === 1))
    return selectedZone === "" ? [] : [selectedZone]
  const allowed = allowedZones(storageClass)
  const candidates =
    allowed.length > 0
      ? allowed
      : nodes()
          .map(zoneOf)
          .filter((zone) => zone !== "")
  const zones = [...new Set(candidates)].sort()
  if (zones.length === 0) return []
  const first = selectedZone === "" ? zoneIndexOf(claim, zones.length) : Math.max(0, zones.indexOf(selectedZone))
  return [...zones.slice(first), ...zones.slice(0, first)].slice(0, zoneCount).sort()
}
