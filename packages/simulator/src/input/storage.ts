import {
  type KubeObject,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  type PodSpec,
  type StatefulSet,
  type StorageClass,
  storageClassNameOf
} from "@rollcall/api"
import { isDNS1123Subdomain } from "@rollcall/api/validation"
import { standardClass } from "@rollcall/volumes"
import type { LoadedObject } from "./objects.ts"

/** What a scenario's volumes need and the scenario does not have. */
export interface StoragePlan {
  /** The StorageClasses to add: a default one if the scenario has none, and those that claims name. */
  readonly classes: ReadonlyArray<StorageClass>
  readonly warnings: ReadonlyArray<string>
}

const volumeKinds: ReadonlySet<string> = new Set(["PersistentVolume", "PersistentVolumeClaim", "VolumeAttachment"])

/** The specs of a pod and of a workload with a pod template. */
interface Templated {
  readonly spec?: PodSpec & { readonly template?: { readonly spec?: PodSpec } }
}

/** Returns the claim templates of the ephemeral volumes in a pod or a pod template. */
const ephemeralTemplatesOf = (object: KubeObject): ReadonlyArray<PersistentVolumeClaimSpec> => {
  const { spec } = object as Templated
  const volumes = (spec?.template?.spec ?? spec)?.volumes
  if (!Array.isArray(volumes)) return []
  return (volumes as NonNullable<PodSpec["volumes"]>).flatMap(({ ephemeral }) => {
    const template = (ephemeral as { readonly volumeClaimTemplate?: { readonly spec?: PersistentVolumeClaimSpec } })
      ?.volumeClaimTemplate
    return template === undefined ? [] : [template.spec ?? {}]
  })
}

/** A claim, or a template of one, whose metadata may be missing. */
type Claim = Partial<Pick<PersistentVolumeClaim, "metadata" | "spec">>

const classOf = ({ metadata = {}, spec }: Claim): string => storageClassNameOf({ metadata, spec })

/** Returns the claims that an object is or creates and that have no volume yet. */
const claimsOf = ({ kind, object }: LoadedObject): ReadonlyArray<Claim> => {
  if (kind === "PersistentVolumeClaim") {
    const claim = object as PersistentVolumeClaim
    return claim.spec?.volumeName ? [] : [claim]
  }
  const templates = kind === "StatefulSet" ? ((object as StatefulSet).spec.volumeClaimTemplates ?? []) : []
  return [...(templates as ReadonlyArray<Claim>), ...ephemeralTemplatesOf(object).map((spec) => ({ spec }))]
}

/** Returns what the volumes of a scenario need. Returns undefined if it has none, so that its run starts no volume controllers. */
export const planStorage = (objects: ReadonlyArray<LoadedObject>): StoragePlan | undefined => {
  const claims = objects.flatMap(claimsOf)
  if (claims.length === 0 && !objects.some(({ kind }) => volumeKinds.has(kind))) return undefined
  const namesOf = (kind: string, nameOf: (object: KubeObject) => string | undefined) =>
    objects.flatMap((loaded) => (loaded.kind === kind ? (nameOf(loaded.object) ?? []) : []))
  const existing = new Set(namesOf("StorageClass", ({ metadata }) => metadata.name))
  // A claim can be bound to an existing volume by the name of a class that does not exist.
  const ofVolumes = new Set(namesOf("PersistentVolume", (volume) => storageClassNameOf(volume as PersistentVolume)))
  const wanted = new Set(claims.map(classOf))
  // A claim of a class whose name is invalid is refused itself.
  const isValid = (name: string): boolean => isDNS1123Subdomain(name).length === 0
  const missing = [...wanted].filter((name) => isValid(name) && !existing.has(name) && !ofVolumes.has(name)).sort()
  const named = missing.filter((name) => existing.size > 0 || name !== standardClass.metadata.name)
  return {
    classes: [
      ...(existing.size === 0 ? [standardClass] : []),
      ...named.map((name) => ({ ...standardClass, metadata: { name } }))
    ],
    warnings: named.map(
      (name) => `StorageClass ${name} is not given, and is taken to be of zonal disks, made where their pods go`
    )
  }
}
