import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "../objects/PersistentVolume.ts"
import { compareQuantity, signOf, value } from "../quantity/Quantity.ts"
import { sortedEntries } from "../sortedEntries.ts"
import { annotationBetaStorageClass } from "../volumes/names.ts"
import { validateClaimSpec } from "./claimSpec.ts"
import { ErrorList } from "./ErrorList.ts"
import { equalAs } from "./equalAs.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { goDiff } from "./goDiff.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { isQualifiedName, nameIsDNSSubdomain } from "./names.ts"
import { isNativeResource } from "./resources.ts"
import type { Validation } from "./Validation.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePersistentVolumeClaim and ValidatePersistentVolumeClaimUpdate. */

const options = { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true } as const

type Spec = PersistentVolumeClaimSpec

const checkClaim = (errors: ErrorList, claim: PersistentVolumeClaim, stored?: Spec): void => {
  validateObjectMeta(errors, claim.metadata, options)
  validateClaimSpec(errors, claim.spec ?? {}, "spec", stored)
}

const betaClassOf = ({ metadata }: PersistentVolumeClaim): string | undefined =>
  metadata.annotations?.[annotationBetaStorageClass]

/** Whether the class moves from the annotation to the field. Upstream: validateStorageClassUpgradeFromAnnotation. */
const movesToField = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean => {
  const [beta, before] = [betaClassOf(claim), betaClassOf(old)]
  const isNew = before !== undefined && old.spec?.storageClassName === undefined
  return isNew && claim.spec?.storageClassName === before && (beta === undefined || beta === before)
}

/** Whether a claim without a class gets one. Upstream: validateStorageClassUpgradeFromNil. */
const getsClass = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean => {
  const [name, before] = [claim.spec?.storageClassName, betaClassOf(old)]
  return name !== undefined && old.spec?.storageClassName === undefined && (before === undefined || before === name)
}

/** Sets a field to what the other spec has. */
const copied = <Key extends keyof Spec>(spec: Spec, from: Spec, key: Key): Spec => {
  const { [key]: _, ...rest } = spec
  return (from[key] === undefined ? rest : { ...rest, [key]: from[key] }) as Spec
}

/** Returns both specs without what the update may change. */
const comparedSpecs = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): readonly [Spec, Spec] => {
  let [spec, stored]: [Spec, Spec] = [claim.spec ?? {}, old.spec ?? {}]
  if (!stored.volumeName) stored = copied(stored, spec, "volumeName")
  if (movesToField(claim, old)) spec = copied(spec, {}, "storageClassName")
  else if (getsClass(claim, old)) spec = copied(spec, stored, "storageClassName")
  if (old.status?.phase !== "Bound") return [spec, stored]
  const { requests } = spec.resources ?? {}
  if (requests !== undefined) {
    const storage = stored.resources?.requests?.storage ?? "0"
    spec = { ...spec, resources: { ...spec.resources, requests: { ...requests, storage } } }
  }
  return [copied(spec, stored, "volumeAttributesClassName"), stored]
}

const checkSize = (errors: ErrorList, claim: PersistentVolumeClaim, old: PersistentVolumeClaim): void => {
  const [size, before] = [claim, old].map(({ spec }) => spec?.resources?.requests?.storage ?? "0")
  if (size === undefined || before === undefined || compareQuantity(size, before) >= 0) return
  if (compareQuantity(size, old.status?.capacity?.storage ?? "0") <= 0) {
    errors.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")
  }
}

const checkAttributesClass = (errors: ErrorList, { spec }: PersistentVolumeClaim, old: PersistentVolumeClaim): void => {
  const name = spec?.volumeAttributesClassName
  const status = (old.status ?? {}) as { readonly currentVolumeAttributesClassName?: string }
  if (name === old.spec?.volumeAttributesClassName || status.currentVolumeAttributesClassName === undefined) return
  const when = "is forbidden when status.currentVolumeAttributesClassName is not nil"
  if (name === undefined) errors.forbidden("spec.volumeAttributesClassName", `update to nil ${when}`)
  else if (name === "") errors.forbidden("spec.volumeAttributesClassName", `update to empty string ${when}`)
}

const checkUpdate = (errors: ErrorList, claim: PersistentVolumeClaim, old: PersistentVolumeClaim): void => {
  const immutable = "field is immutable"
  if (!movesToField(claim, old) && (betaClassOf(claim) ?? "") !== (betaClassOf(old) ?? "")) {
    errors.invalid(`metadata.annotations.${annotationBetaStorageClass}`, betaClassOf(claim) ?? "", immutable)
  }
  const [spec, stored] = comparedSpecs(claim, old)
  if (!equalAs("core.v1.PersistentVolumeClaimSpec", spec, stored)) {
    const difference = goDiff("PersistentVolumeClaimSpec", stored, spec)
    errors.forbidden(
      "spec",
      `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${difference}`
    )
  }
  checkSize(errors, claim, old)
  const mode = claim.spec?.volumeMode
  if (mode !== old.spec?.volumeMode) errors.invalid("volumeMode", typed(mode), immutable)
  checkAttributesClass(errors, claim, old)
}

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending"
]

/** Checks the name of a resource that a claim has, and returns whether it is one. */
const checkResource = (errors: ErrorList, name: string, path: string): boolean => {
  const messages = isQualifiedName(name)
  errors.invalidEach(path, name, messages)
  if (messages.length > 0) return false
  if (!isNativeResource(name) || name === "storage") return true
  errors.notSupportedText(path, name, ["storage"])
  return false
}

/** Checks what a status says of the volume's size. Upstream: ValidatePersistentVolumeClaimStatusUpdate. */
const checkStatus = (errors: ErrorList, { status = {} }: PersistentVolumeClaim): void => {
  const checkSizes = (sizes: Readonly<Record<string, string | number>> | undefined, path: string) => {
    for (const [resource, size] of sortedEntries(sizes ?? {})) {
      if (signOf(size) >= 0) continue
      errors.invalid(`${path}[${resource}]`, value(size), "must be a valid resource quantity")
    }
  }
  checkSizes(status.capacity, "status.capacity")
  const { allocatedResourceStatuses = {} } = status as {
    readonly allocatedResourceStatuses?: Readonly<Record<string, string>>
  }
  for (const [resource, resize] of sortedEntries(allocatedResourceStatuses)) {
    checkResource(errors, resource, "status.allocatedResourceStatuses")
    if (!resizeStatuses.includes(resize)) {
      errors.notSupported("status.allocatedResourceStatuses", resource, resizeStatuses)
    }
  }
  const named = Object.entries(status.allocatedResources ?? {}).filter(([resource]) =>
    checkResource(errors, resource, "status.allocatedResources")
  )
  checkSizes(Object.fromEntries(named), "status.allocatedResources")
}

export const persistentVolumeClaimRules: Validation<PersistentVolumeClaim> = {
  create: (claim): FieldErrors => {
    const errors = new ErrorList()
    checkClaim(errors, claim)
    return errors.all
  },
  update: (claim, old) => {
    const errors = new ErrorList()
    validateObjectMetaUpdate(errors, claim.metadata, old.metadata, options)
    checkClaim(errors, claim, old.spec)
    checkUpdate(errors, claim, old)
    return errors.all
  },
  updateStatus: (claim, old) => {
    const errors = new ErrorList()
    validateObjectMetaUpdate(errors, claim.metadata, old.metadata, options)
    checkStatus(errors, claim)
    return errors.all
  }
}
