import type { KubeObject } from "../objects/Meta.ts"
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec
} from "../objects/PersistentVolume.ts"
import type { Quantity } from "../objects/Scalars.ts"
import { canonicalQuantity, signOf } from "../quantity/Quantity.ts"
import { hasStorageClassSet } from "../volumes/classes.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { goDiff } from "./goDiff.ts"
import { validateLabelSelector } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { nameIsDNSSubdomain } from "./names.ts"
import { validateNoBacksteps } from "./paths.ts"
import { semanticEqual } from "./semanticEqual.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePersistentVolume and ValidatePersistentVolumeClaim. */

const volumeOptions = { namespaced: false, name: nameIsDNSSubdomain, standardFinalizers: true } as const
const claimOptions = { ...volumeOptions, namespaced: true } as const

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]
const volumeModes = ["Block", "Filesystem"]
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

const sourcesOf = (spec: PersistentVolumeSpec): ReadonlyArray<string> =>
  Object.keys(spec).filter((field) => !fieldsBesideSource.has(field))

const checkAccessModes = (errors: ErrorList, modes: ReadonlyArray<string>, none: string): void => {
  if (modes.length === 0) errors.required("spec.accessModes", none)
  for (const mode of modes) if (!accessModes.includes(mode)) errors.notSupported("spec.accessModes", mode, accessModes)
  if (modes.length > 1 && modes.includes("ReadWriteOncePod")) {
    errors.forbidden("spec.accessModes", "may not use ReadWriteOncePod with other access modes")
  }
}

const checkVolumeMode = (errors: ErrorList, mode: string | undefined): void => {
  if (mode !== undefined && !volumeModes.includes(mode)) errors.notSupported("spec.volumeMode", mode, volumeModes)
}

const checkPositive = (errors: ErrorList, quantity: Quantity, path: string): void => {
  if (signOf(quantity) <= 0) errors.invalid(path, canonicalQuantity(quantity), "must be greater than zero")
}

const checkClassName = (errors: ErrorList, name: string | undefined): void => {
  if (name !== undefined && name !== "") {
    errors.invalidEach("spec.storageClassName", name, nameIsDNSSubdomain(name, false))
  }
}

const checkSource = (errors: ErrorList, spec: PersistentVolumeSpec): void => {
  const sources = sourcesOf(spec)
  if (sources.length === 0) errors.required("spec", "must specify a volume type")
  for (const extra of sources.slice(1)) {
    errors.forbidden(`spec.${extra}`, "may not specify more than 1 volume type")
  }
  const { hostPath, local } = spec
  if (hostPath !== undefined) {
    if (hostPath.path === "") errors.required("spec.hostPath.path")
    else validateNoBacksteps(errors, hostPath.path, "spec.hostPath.path")
    if (hostPath.path === "/" && spec.persistentVolumeReclaimPolicy === "Recycle") {
      errors.forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'")
    }
  }
  if (local !== undefined) {
    if (local.path === "") errors.required("spec.local.path")
    else validateNoBacksteps(errors, local.path, "spec.local.path")
    if (spec.nodeAffinity?.required === undefined) {
      errors.required("spec.nodeAffinity", "Local volume requires node affinity")
    }
  }
}

const checkVolume = (errors: ErrorList, spec: PersistentVolumeSpec): void => {
  checkAccessModes(errors, spec.accessModes ?? [], "")
  const capacity = Object.entries(spec.capacity ?? {})
  if (capacity.length === 0) errors.required("spec.capacity")
  if (spec.capacity?.storage === undefined || capacity.length > 1) {
    errors.notSupported("spec.capacity", spec.capacity ?? null, ["storage"])
  }
  for (const [name, quantity] of capacity) checkPositive(errors, quantity, `spec.capacity[${name}]`)
  checkSource(errors, spec)
  const policy = spec.persistentVolumeReclaimPolicy ?? ""
  if (policy !== "" && !reclaimPolicies.includes(policy)) {
    errors.notSupported("spec.persistentVolumeReclaimPolicy", policy, reclaimPolicies)
  }
  checkClassName(errors, spec.storageClassName)
  checkVolumeMode(errors, spec.volumeMode)
}

export const validatePersistentVolume = (volume: PersistentVolume): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, volume.metadata, volumeOptions)
  checkVolume(errors, volume.spec ?? {})
  return errors.all
}

const sourceOf = (spec: PersistentVolumeSpec): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(spec).filter(([field]) => !fieldsBesideSource.has(field)))

/** Validates an update: the source of a volume is immutable. */
export const validatePersistentVolumeUpdate = (volume: PersistentVolume, old: PersistentVolume): FieldErrors => {
  const errors = new ErrorList()
  errors.append(validatePersistentVolume(volume))
  const source = sourceOf(volume.spec ?? {})
  const stored = sourceOf(old.spec ?? {})
  if (!semanticEqual(source, stored)) {
    const difference = goDiff("PersistentVolumeSpec", stored, source, true)
    errors.forbidden(
      "spec.persistentvolumesource",
      `spec.persistentvolumesource is immutable after creation\n${difference}`
    )
  }
  const mode = volume.spec?.volumeMode
  if (mode !== old.spec?.volumeMode) errors.invalid("spec.volumeMode", mode, "field is immutable")
  validateObjectMetaUpdate(errors, volume.metadata, old.metadata, volumeOptions)
  return errors.all
}

const checkClaim = (errors: ErrorList, spec: PersistentVolumeClaimSpec): void => {
  validateLabelSelector(errors, spec.selector, "spec.selector")
  checkAccessModes(errors, spec.accessModes ?? [], "at least 1 access mode is required")
  const storage = spec.resources?.requests?.storage
  if (storage === undefined) errors.required("spec.resources[storage]")
  else checkPositive(errors, storage, "spec.resources[storage]")
  checkClassName(errors, spec.storageClassName)
  checkVolumeMode(errors, spec.volumeMode)
}

export const validatePersistentVolumeClaim = (claim: PersistentVolumeClaim): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, claim.metadata, claimOptions)
  checkClaim(errors, claim.spec ?? {})
  return errors.all
}

/**
 * Returns the claim without the fields that may change: a claim without a class may get one, be bound, and then be
 * expanded. Upstream: validateStorageClassUpgradeFromNil.
 */
const withoutAllowedChanges = (
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim
): Readonly<Record<string, unknown>> => {
  const { resources: _resources, volumeAttributesClassName: _class, volumeName, ...spec } = claim.spec ?? {}
  const { storageClassName: _className, ...unclassed } = spec
  const rest = hasStorageClassSet(old) ? spec : unclassed
  const bound = (old.spec?.volumeName ?? "") !== ""
  const limits = claim.spec?.resources?.limits
  return { ...rest, ...(limits === undefined ? {} : { limits }), ...(bound ? { volumeName } : {}) }
}

export const validatePersistentVolumeClaimUpdate = (
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim
): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, claim.metadata, old.metadata)
  errors.append(validatePersistentVolumeClaim(claim))
  const next = withoutAllowedChanges(claim, old)
  const stored = withoutAllowedChanges(old, old)
  const bound = old.status?.phase === "Bound"
  const mayExpand = bound || semanticEqual(claim.spec?.resources?.requests, old.spec?.resources?.requests)
  if (!mayExpand || !semanticEqual(next, stored)) {
    const difference = goDiff("PersistentVolumeClaimSpec", old.spec ?? {}, claim.spec ?? {})
    errors.forbidden(
      "spec",
      `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${difference}`
    )
  }
  return errors.all
}

/** Validates a status update: only the metadata is checked, since a controller writes the status. */
export const validateVolumeStatusUpdate = (object: KubeObject, old: KubeObject): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, object.metadata, old.metadata)
  return errors.all
}
