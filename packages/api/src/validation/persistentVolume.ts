import type { NodeSelectorRequirement } from "../objects/Affinity.ts"
import type { KubeObject } from "../objects/Meta.ts"
import type { PersistentVolume, PersistentVolumeSpec } from "../objects/PersistentVolume.ts"
import type { Quantity } from "../objects/Scalars.ts"
import { canonicalQuantity, signOf, value } from "../quantity/Quantity.ts"
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
import { checkAccessModes, checkClassName, checkVolumeMode } from "./claimSpec.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { goDiff } from "./goDiff.ts"
import { sortedMap } from "./goFormat.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { nameIsDNSSubdomain } from "./names.ts"
import { validateVolumeNodeAffinity } from "./nodeAffinity.ts"
import { validateNoBacksteps } from "./paths.ts"
import { semanticEqual } from "./semanticEqual.ts"
import { checkSecretReference, type Source, volumePlugins } from "./volumePlugins.ts"
import { validateCSIDriverName, validateHostPath } from "./volumes.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePersistentVolume and ValidatePersistentVolumeUpdate. */

const volumeOptions = { namespaced: false, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const reclaimPolicies = ["Delete", "Recycle", "Retain"]

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

/** The sources in the order in which they are checked. `shownAs` is how messages spell one, where they do it differently. */
const sources: ReadonlyArray<readonly [field: keyof PersistentVolumeSpec | string, shownAs?: string]> = [
  ["hostPath"],
  ["gcePersistentDisk"],
  ["awsElasticBlockStore"],
  ["glusterfs"],
  ["flocker"],
  ["nfs"],
  ["rbd"],
  ["quobyte"],
  ["cephfs", "cephFS"],
  ["iscsi"],
  ["cinder"],
  ["fc"],
  ["flexVolume"],
  ["azureFile"],
  ["vsphereVolume"],
  ["photonPersistentDisk"],
  ["portworxVolume"],
  ["azureDisk"],
  ["scaleIO"],
  ["local"],
  ["storageos"],
  ["csi"]
]

const checkPositive = (errors: ErrorList, quantity: Quantity, path: string): void => {
  if (signOf(quantity) < 0) errors.invalid(path, value(quantity), "must be a valid resource quantity")
  if (signOf(quantity) <= 0) errors.invalid(path, canonicalQuantity(quantity), "must be greater than zero")
}

const checkLocal = (errors: ErrorList, spec: PersistentVolumeSpec, { path }: { readonly path: string }): void => {
  if (path === "") errors.required("spec.local.path")
  else validateNoBacksteps(errors, path, "spec.local.path")
  if (spec.nodeAffinity === undefined) errors.required("spec.nodeAffinity", "Local volume requires node affinity")
}

const secretReferences = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef"
]

const checkCsi = (errors: ErrorList, csi: Source): void => {
  validateCSIDriverName(errors, typeof csi.driver === "string" ? csi.driver : "", "spec.csi.driver")
  if (!csi.volumeHandle) errors.required("spec.csi.volumeHandle")
  for (const field of secretReferences) {
    if (csi[field] !== undefined) checkSecretReference(errors, csi[field] as Source, `spec.csi.${field}`)
  }
}

const checkSource = (errors: ErrorList, spec: PersistentVolumeSpec, volumeName: string): void => {
  const { hostPath, local } = spec
  let found = 0
  for (const [field, shownAs = field] of sources) {
    if (!Object.hasOwn(spec, field)) continue
    if (found > 0 && field !== "flexVolume") {
      errors.forbidden(`spec.${shownAs}`, "may not specify more than 1 volume type")
      continue
    }
    found++
    const source = (spec as Readonly<Record<string, unknown>>)[field] as Source
    if (field === "hostPath" && hostPath !== undefined) validateHostPath(errors, hostPath, "spec.hostPath")
    else if (field === "local" && local !== undefined) checkLocal(errors, spec, local)
    else if (field === "csi") checkCsi(errors, source)
    else volumePlugins[field]?.(errors, source, `spec.${field}`, volumeName)
  }
  if (found === 0) errors.required("spec", "must specify a volume type")
}

const checkCapacity = (errors: ErrorList, capacity: PersistentVolumeSpec["capacity"]): void => {
  const entries = Object.entries(capacity ?? {})
  if (entries.length === 0) errors.required("spec.capacity")
  if (capacity?.storage === undefined || entries.length > 1) {
    errors.notSupported("spec.capacity", sortedMap(capacity), ["storage"])
  }
  for (const [name, quantity] of entries) checkPositive(errors, quantity, `spec.capacity[${name}]`)
}

const checkAttributesClass = (
  errors: ErrorList,
  { csi, volumeAttributesClassName: name }: PersistentVolumeSpec
): void => {
  if (name === undefined) return
  if (name === "") errors.required("spec.volumeAttributesClassName", "an empty string is disallowed")
  else checkClassName(errors, name, "spec.volumeAttributesClassName")
  if (csi === undefined) errors.required("spec.csi", "has to be specified when using volumeAttributesClassName")
}

const checkVolume = (errors: ErrorList, spec: PersistentVolumeSpec, volumeName: string): void => {
  const modes = spec.accessModes ?? []
  if (modes.length === 0) errors.required("spec.accessModes")
  checkAccessModes(errors, modes, "spec.accessModes")
  checkCapacity(errors, spec.capacity)
  const policy = spec.persistentVolumeReclaimPolicy ?? ""
  const policyPath = "spec.persistentVolumeReclaimPolicy"
  if (policy !== "" && !reclaimPolicies.includes(policy)) errors.notSupported(policyPath, policy, reclaimPolicies)
  if (spec.nodeAffinity !== undefined) validateVolumeNodeAffinity(errors, spec.nodeAffinity, "spec.nodeAffinity")
  checkSource(errors, spec, volumeName)
  if (spec.hostPath !== undefined && /^\/+$/.test(spec.hostPath.path) && policy === "Recycle") {
    errors.forbidden(policyPath, "may not be 'recycle' for a hostPath mount of '/'")
  }
  checkClassName(errors, spec.storageClassName, "spec.storageClassName")
  checkVolumeMode(errors, spec.volumeMode, "spec.volumeMode")
  checkAttributesClass(errors, spec)
}

export const validatePersistentVolume = (volume: PersistentVolume): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, volume.metadata, volumeOptions)
  checkVolume(errors, volume.spec ?? {}, volume.metadata.name ?? "")
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

const gaLabels: Readonly<Record<string, string>> = {
  [labelBetaZone]: labelZone,
  [labelBetaRegion]: labelRegion,
  [labelBetaInstanceType]: labelInstanceType,
  [labelBetaOS]: labelOS,
  [labelBetaArch]: labelArch
}

/** Returns the terms of an affinity with today's names of labels, in the form of Go's structs. */
const termsOf = (affinity: VolumeAffinity, rename: Readonly<Record<string, string>>) => {
  const requirements = (list: ReadonlyArray<NodeSelectorRequirement> | undefined) =>
    list?.map(({ key, operator, values }) => ({
      Key: rename[key] ?? key,
      Operator: operator,
      Values: values ?? null
    })) ?? null
  return affinity?.required?.nodeSelectorTerms.map(({ matchExpressions, matchFields }) => ({
    MatchExpressions: requirements(matchExpressions),
    MatchFields: requirements(matchFields)
  }))
}

/** Checks that a set affinity stays, except that a beta label may become the one that replaced it. */
const checkAffinityUnchanged = (errors: ErrorList, affinity: VolumeAffinity, old: VolumeAffinity): void => {
  if (old === undefined || semanticEqual(termsOf(affinity, gaLabels), termsOf(old, gaLabels))) return
  const terms = termsOf(affinity, {})
  const shown = affinity === undefined ? null : { Required: terms === undefined ? null : { NodeSelectorTerms: terms } }
  errors.invalid("nodeAffinity", shown, "field is immutable, except for updating from beta label to GA")
}

/** Validates an update, which checks the volume twice. The source of a volume is immutable. */
export const validatePersistentVolumeUpdate = (volume: PersistentVolume, old: PersistentVolume): FieldErrors => {
  const errors = new ErrorList()
  errors.append(validatePersistentVolume(volume))
  validateObjectMeta(errors, volume.metadata, volumeOptions)
  const [spec, stored] = [volume.spec ?? {}, old.spec ?? {}]
  checkVolume(errors, spec, volume.metadata.name ?? "")
  const source = sourceOf(withoutExpandSecret(spec, stored))
  const before = sourceOf(stored)
  if (!semanticEqual(source, before)) {
    const difference = goDiff("PersistentVolumeSpec", before, source, true)
    errors.forbidden(
      "spec.persistentvolumesource",
      `spec.persistentvolumesource is immutable after creation\n${difference}`
    )
  }
  if (spec.volumeMode !== stored.volumeMode) errors.invalid("volumeMode", spec.volumeMode, "field is immutable")
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
