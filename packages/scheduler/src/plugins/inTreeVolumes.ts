import type { CSINode, PersistentVolume } from "@rollcall/api"
import type { InlineDisk, InlineSource } from "../cache/PodVolumes.ts"

/** A volume as its CSI driver identifies it: it is attached once to a node, however many pods mount it. */
export interface DriverVolume {
  readonly driver: string
  readonly handle: string
}

/** The CSI driver that replaces an in-tree plugin. `handle` derives the volume handle from the fields of the source. */
interface MigratedPlugin {
  readonly plugin: string
  readonly driver: string
  readonly handle: (attributes: Readonly<Record<string, unknown>>, zone: string) => string
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** In-tree volume sources that have a CSI driver. Upstream: staging/src/k8s.io/csi-translation-lib/plugins. */
const migrated: { readonly [Source in InlineSource]?: MigratedPlugin } = {
  awsElasticBlockStore: {
    plugin: "kubernetes.io/aws-ebs",
    driver: "ebs.csi.aws.com",
    handle: ({ volumeID }) => text(volumeID).split("/").at(-1) ?? ""
  },
  gcePersistentDisk: {
    plugin: "kubernetes.io/gce-pd",
    driver: "pd.csi.storage.gke.io",
    handle: ({ pdName }, zone) => `projects/UNSPECIFIED/zones/${zone || "UNSPECIFIED"}/disks/${text(pdName)}`
  },
  azureDisk: {
    plugin: "kubernetes.io/azure-disk",
    driver: "disk.csi.azure.com",
    handle: ({ diskURI }) => text(diskURI)
  },
  cinder: {
    plugin: "kubernetes.io/cinder",
    driver: "cinder.csi.openstack.org",
    handle: ({ volumeID }) => text(volumeID)
  },
  portworxVolume: {
    plugin: "kubernetes.io/portworx-volume",
    driver: "pxd.portworx.com",
    handle: ({ volumeID }) => text(volumeID)
  }
}

const migratedSources = Object.entries(migrated)

const migratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins"

/** Whether a node has migrated an in-tree plugin to its CSI driver. */
const isMigratedOn = (csiNode: CSINode | undefined, plugin: string): boolean =>
  csiNode?.metadata.annotations?.[migratedPlugins]?.split(",").includes(plugin) === true

/** Whether there is a CSI driver for an inline disk; whether it serves it depends on the node. */
export const isMigratable = ({ source }: InlineDisk): boolean => migrated[source] !== undefined

/** The disk as a CSI driver identifies it; undefined unless the node has migrated the in-tree plugin. */
export const diskOnDriver = (
  { attributes, source }: InlineDisk,
  csiNode: CSINode | undefined
): DriverVolume | undefined => {
  const replacement = migrated[source]
  if (replacement === undefined || !isMigratedOn(csiNode, replacement.plugin)) return undefined
  return { driver: replacement.driver, handle: replacement.handle(attributes, "") }
}

/** Objects of the API keep fields that their type here does not declare. */
type AnySource = NonNullable<PersistentVolume["spec"]> & {
  readonly [Source in InlineSource]?: Readonly<Record<string, unknown>>
}

/** The volume as its CSI driver identifies it; undefined if it has none on the node. */
export const volumeOnDriver = (
  { metadata, spec }: PersistentVolume,
  csiNode: CSINode | undefined
): DriverVolume | undefined => {
  if (spec?.csi !== undefined) return { driver: text(spec.csi.driver), handle: text(spec.csi.volumeHandle) }
  const sources: AnySource = spec ?? {}
  for (const [source, replacement] of migratedSources) {
    const attributes = sources[source as InlineSource]
    if (attributes === undefined || !isMigratedOn(csiNode, replacement.plugin)) continue
    const zone = metadata.labels?.["topology.kubernetes.io/zone"] ?? ""
    return { driver: replacement.driver, handle: replacement.handle(attributes, zone) }
  }
  return undefined
}

/** The driver of a class's provisioner: its own name, or that of the CSI driver that replaced it. */
export const driverOfProvisioner = (provisioner: string, csiNode: CSINode | undefined): string =>
  migratedSources.find(([, { plugin }]) => plugin === provisioner && isMigratedOn(csiNode, plugin))?.[1].driver ??
  provisioner
