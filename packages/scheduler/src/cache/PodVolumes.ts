import type { Pod, Volume } from "@rollcall/api"

type Attributes = Readonly<Record<string, unknown>>

/**
 * A volume in a pod's spec of an in-tree plugin: which plugin, and the fields of the volume source. CSI drivers have
 * replaced these plugins, but the API fields remain.
 */
export interface InlineDisk {
  readonly source: InlineSource
  readonly attributes: Attributes
}

/** The fields of a pod's volume that name such a plugin. */
const inlineSources = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "iscsi",
  "rbd",
  "azureDisk",
  "cinder",
  "portworxVolume"
] as const
export type InlineSource = (typeof inlineSources)[number]

/** A pod's volumes that restrict its nodes. */
export interface PodVolumes {
  /** Names of the claims that it references, in order. */
  readonly claims: ReadonlyArray<string>
  /** Names of the claims that are created for it. */
  readonly ephemeralClaims: ReadonlyArray<string>
  readonly disks: ReadonlyArray<InlineDisk>
}

/** Objects of the API keep fields that their type here does not declare. */
type AnySource = Volume & { readonly [Source in InlineSource]?: Attributes }

const diskOf = (volume: AnySource): InlineDisk | undefined => {
  for (const source of inlineSources) {
    const attributes = volume[source]
    if (attributes !== undefined) return { source, attributes }
  }
  return undefined
}

/** The pod's volumes that restrict its nodes; undefined if none does, as for most pods, which only mount ConfigMaps. */
export const podVolumesOf = ({ metadata, spec }: Pod): PodVolumes | undefined => {
  if (spec.volumes === undefined || spec.volumes.length === 0) return undefined
  const claims: Array<string> = []
  const ephemeralClaims: Array<string> = []
  const disks: Array<InlineDisk> = []
  for (const volume of spec.volumes) {
    if (volume.persistentVolumeClaim !== undefined) claims.push(volume.persistentVolumeClaim.claimName)
    else if (volume.ephemeral !== undefined) ephemeralClaims.push(`${metadata.name ?? ""}-${volume.name}`)
    else {
      const disk = diskOf(volume)
      if (disk !== undefined) disks.push(disk)
    }
  }
  if (claims.length + ephemeralClaims.length + disks.length === 0) return undefined
  return { claims, ephemeralClaims, disks }
}
