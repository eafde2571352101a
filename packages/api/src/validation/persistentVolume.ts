import type { NodeSelectorRequirement } from "../objects/Affinity.ts"
import type { KubeObject } from "../objects/Meta.ts"
import type { PersistentVolume, PersistentVolumeSpec } from "../objects/PersistentVolume.ts"
import {
  labelArch,
  labelBetaArch,
  labelBetaInstanceType,
  labelBetaOS,
  labelBetaRegion,
  labelBetaZone,
  labelInstanceType,
  labelOS,
  labelRegion,
  labelZone
} from "../wellKnown.ts"
import { isUnsetList } from "../wire/decode/goTypes.ts"
import { ErrorList } from "./ErrorList.ts"
import { equalAs } from "./equalAs.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { goDiff } from "./goDiff.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { nameIsDNSSubdomain } from "./names.ts"
import { validatePersistentVolumeSpec } from "./persistentVolumeSpec.ts"
import { semanticEqual } from "./semanticEqual.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePersistentVolume and ValidatePersistentVolumeUpdate. */

const volumeOptions = { namespaced: false, name: nameIsDNSSubdomain, standardFinalizers: true } as const

/** The fields of a volume's spec that are not its source. */
const fieldsBesideSource: ReadonlySet<string> = new Set([
  "capacity",
  "accessModes",
  "claimRef",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "mountOptions",
  "volumeMode",
  "nodeAffinity",
  "volumeAttributesClassName"
])

export const validatePersistentVolume = (volume: PersistentVolume): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, volume.metadata, volumeOptions)
  validatePersistentVolumeSpec(errors, volume.spec ?? {}, "spec", volume.metadata.name ?? "")
  checkMountOptions(errors, volume)
  return errors.all
}

const sourceOf = (spec: PersistentVolumeSpec): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(spec).filter(([field]) => !fieldsBesideSource.has(field)))

/** The sources that take mount options. Upstream: pkg/volume/validation, checkMountOption. */
const mountable = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk"
]
const mountOptions = "volume.beta.kubernetes.io/mount-options"

const checkMountOptions = (errors: ErrorList, { metadata, spec = {} }: PersistentVolume): void => {
  if (metadata.annotations?.[mountOptions] === undefined || mountable.some((field) => Object.hasOwn(spec, field)))
    return
  errors.forbidden(`metadata.annotations.${mountOptions}`, "may not specify mount options for this volume type")
}

/** Returns the source without a reference to a secret that an update may add. */
const withoutExpandSecret = (spec: PersistentVolumeSpec, old: PersistentVolumeSpec): PersistentVolumeSpec => {
  const csi = spec.csi as Record<string, unknown> | undefined
  const stored = old.csi as Record<string, unknown> | undefined
  if (csi === undefined || stored === undefined || stored.controllerExpandSecretRef !== undefined) return spec
  const { controllerExpandSecretRef: _, ...rest } = csi
  return { ...spec, csi: rest } as PersistentVolumeSpec
}

type VolumeAffinity = PersistentVolumeSpec["nodeAffinity"]

const gaLabels: ReadonlyMap<string, string> = new Map([
  [labelBetaZone, labelZone],
  [labelBetaRegion, labelRegion],
  [labelBetaInstanceType, labelInstanceType],
  [labelBetaOS, labelOS],
  [labelBetaArch, labelArch]
])

/** Returns the old key if the new one may replace it: Go's map has no name, "", for a label that none replaced. */
const keyBefore = (key: string, old: string | undefined): string =>
  old !== undefined && (gaLabels.get(old) ?? "") === key ? old : key

type Requirements = ReadonlyArray<NodeSelectorRequirement> | undefined

const requirementsOf = (list: Requirements, old: Requirements) =>
  list?.map(({ key = "", operator, values }, at) => ({
    Key: keyBefore(key, old?.[at]?.key),
    Operator: operator,
    Values: values ?? null
  })) ?? null

/** Returns the terms of an affinity in the form of Go's structs, with the keys of `old` that theirs may replace. */
const termsOf = (affinity: VolumeAffinity, old?: VolumeAffinity) => {
  const terms = affinity?.required?.nodeSelectorTerms
  const before = old?.required?.nodeSelectorTerms
  // Go has no list where none is given.
  if (isUnsetList(terms)) return undefined
  return terms?.map(({ matchExpressions, matchFields }, at) => ({
    MatchExpressions: requirementsOf(matchExpressions, before?.[at]?.matchExpressions),
    MatchFields: requirementsOf(matchFields, before?.[at]?.matchFields)
  }))
}

/** Checks that a set affinity stays, except that a beta label may become the one that replaced it. */
const checkAffinityUnchanged = (errors: ErrorList, affinity: VolumeAffinity, old: VolumeAffinity): void => {
  if (old === undefined || semanticEqual(termsOf(affinity, old), termsOf(old))) return
  const terms = termsOf(affinity)
  const shown =
    affinity === undefined
      ? null
      : { Required: affinity.required === undefined ? null : { NodeSelectorTerms: terms ?? null } }
  errors.invalid("nodeAffinity", shown, "field is immutable, except for updating from beta label to GA")
}

/** Validates an update, which checks the volume twice. The source of a volume is immutable. */
export const validatePersistentVolumeUpdate = (volume: PersistentVolume, old: PersistentVolume): FieldErrors => {
  const errors = new ErrorList()
  errors.append(validatePersistentVolume(volume))
  validateObjectMeta(errors, volume.metadata, volumeOptions)
  const [spec, stored] = [volume.spec ?? {}, old.spec ?? {}]
  validatePersistentVolumeSpec(errors, spec, "spec", volume.metadata.name ?? "")
  const source = sourceOf(withoutExpandSecret(spec, stored))
  const before = sourceOf(stored)
  if (!equalAs("core.v1.PersistentVolumeSpec", source, before)) {
    const difference = goDiff("PersistentVolumeSpec", before, source, true)
    errors.forbidden(
      "spec.persistentvolumesource",
      `spec.persistentvolumesource is immutable after creation\n${difference}`
    )
  }
  if (spec.volumeMode !== stored.volumeMode) errors.invalid("volumeMode", typed(spec.volumeMode), "field is immutable")
  checkAffinityUnchanged(errors, spec.nodeAffinity, stored.nodeAffinity)
  if (stored.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    errors.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden")
  }
  return errors.all
}

/** Validates a status update: only the metadata is checked, since a controller writes the status. */
export const validatePersistentVolumeStatusUpdate = ({ metadata }: KubeObject, old: KubeObject): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, metadata, old.metadata, volumeOptions)
  return errors.all
}
