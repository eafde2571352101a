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
import { standardClass } from "@rollcall/volumes"
import type { LoadedObject } from "./objects.ts"

/** What a scenario's volumes need that it does not say itself. */
export interface StoragePlan {
  /** The classes that nobody gives: the default one, where there is none at all, and those that claims name. */
  readonly classes: ReadonlyArray<StorageClass>
  readonly warnings: ReadonlyArray<string>
}

const volumeKinds: ReadonlySet<string> = new Set(["PersistentVolume", "PersistentVolumeClaim", "VolumeAttachment"])

interface Templated {
  readonly spec?: PodSpec & { readonly template?: { readonly spec?: PodSpec } }
}

const templatesOf = (object: KubeObject): ReadonlyArray<PersistentVolumeClaimSpec> => {
  const { spec } = object as Templated
  const volumes = (spec?.template?.spec ?? spec)?.volumes
  if (!Array.isArray(volumes)) return []
  return (volumes as NonNullable<PodSpec["volumes"]>).flatMap(({ ephemeral }) => {
    const template = (ephemeral as { readonly volumeClaimTemplate?: { readonly spec?: PersistentVolumeClaimSpec } })
      ?.volumeClaimTemplate
    return template === undefined ? [] : [template.spec ?? {}]
  })
}

/** The claims that an object is, or makes, as far as they want a volume yet. */
const claimsOf = ({ kind, object }: LoadedObject): ReadonlyArray<Pick<PersistentVolumeClaim, "metadata" | "spec">> => {
  if (kind === "PersistentVolumeClaim") {
    const claim = object as PersistentVolumeClaim
    return claim.spec?.volumeName ? [] : [claim]
  }
  const templates = kind === "StatefulSet" ? ((object as StatefulSet).spec.volumeClaimTemplates ?? []) : []
  return [
    ...(templates as ReadonlyArray<PersistentVolumeClaim>),
    ...templatesOf(object).map((spec) => ({ metadata: {}, spec }))
  ]
}

/** Undefined where nothing of a scenario has to do with volumes: it is spared all that they need. */
export const planStorage = (objects: ReadonlyArray<LoadedObject>): StoragePlan | undefined => {
  const claims = objects.flatMap(claimsOf)
  if (claims.length === 0 && !objects.some(({ kind }) => volumeKinds.has(kind))) return undefined
  const namesOf = (kind: string, nameOf: (object: KubeObject) => string | undefined) =>
    objects.flatMap((loaded) => (loaded.kind === kind ? (nameOf(loaded.object) ?? []) : []))
  const given = new Set(namesOf("StorageClass", ({ metadata }) => metadata.name))
  // Volumes that somebody has made need no class to be bound by its name.
  const made = new Set(namesOf("PersistentVolume", (volume) => storageClassNameOf(volume as PersistentVolume)))
  const wanted = new Set(claims.map((claim) => storageClassNameOf(claim as PersistentVolumeClaim)))
  const missing = [...wanted].filter((name) => name !== "" && !given.has(name) && !made.has(name)).sort()
  const named = missing.filter((name) => given.size > 0 || name !== standardClass.metadata.name)
  return {
    classes: [
      ...(given.size === 0 ? [standardClass] : []),
      ...named.map((name) => ({ ...standardClass, metadata: { name } }))
    ],
    warnings: named.map(
      (name) => `StorageClass ${name} is not given, and is taken to be of zonal disks, made where their pods go`
    )
  }
}
