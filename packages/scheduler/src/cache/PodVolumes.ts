import type { Pod, Volume } from "@rollcall/api"

type Attributes = Readonly<Record<string, unknown>>

/** A volume in the pod's own words that in-tree plugins know; all of them are CSI drivers today, and the words stayed. */
export interface InlineDisk {
  readonly source: InlineSource
  readonly attributes: Attributes
}

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

/** What a pod mounts that has a say in where it may run. */
export interface PodVolumes {
  /** Names of the claims that it names itself, in order. */
  readonly claims: ReadonlyArray<string>
  /** Names of the claims that are made for it. */
  readonly ephemeralClaims: ReadonlyArray<string>
  readonly disks: ReadonlyArray<InlineDisk>
}

/** Objects keep the fields that their type does not spell out. */
type AnySource = Volume & { readonly [Source in InlineSource]?: Attributes }

const diskOf = (volume: AnySource): InlineDisk | undefined => {
  for (const source of inlineSources) {
    const attributes = volume[source]
    if (attributes !== undefined) return { source, attributes }
  }
  return undefined
}

/** Undefined for a pod whose volumes keep it from no node: most have none but ConfigMaps and the like. */
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
