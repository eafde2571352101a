import type { CSINode, VolumeAttachment } from "../objects/Storage.ts"
import { ErrorList } from "./ErrorList.ts"
import { equalAs } from "./equalAs.ts"
import type { FieldErrors } from "./FieldError.ts"
import { internalJson } from "./goDiff.ts"
import { validateObjectMeta } from "./metadata.ts"
import { byteLength, isQualifiedName, nameIsDNSSubdomain, rangeText } from "./names.ts"
import { validateInlineVolumeSpec } from "./persistentVolumeSpec.ts"
import { validateCSIDriverName } from "./volumes.ts"

/** Upstream: pkg/apis/storage/validation/validation.go. */

const options = { namespaced: false, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const exactlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"

const checkSource = (errors: ErrorList, source: Partial<VolumeAttachment["spec"]["source"]> = {}): void => {
  const { inlineVolumeSpec, persistentVolumeName } = source
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) errors.required("spec.source", exactlyOne)
  else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) {
    errors.forbidden("spec.source", exactlyOne)
  } else if (persistentVolumeName === "") {
    errors.required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName")
  } else if (inlineVolumeSpec !== undefined) {
    validateInlineVolumeSpec(errors, inlineVolumeSpec, "spec.source.inlineVolumeSpec")
  }
}

const maxMessageBytes = 1024
const maxMetadataBytes = 256 * 1024

const checkStatus = (errors: ErrorList, attachment: VolumeAttachment): void => {
  const { attachError, attachmentMetadata = {}, detachError } = attachment.status ?? {}
  let bytes = 0
  for (const [key, value] of Object.entries(attachmentMetadata)) bytes += byteLength(key) + byteLength(value)
  if (bytes > maxMetadataBytes) errors.tooLong("status.attachmentMetadata", maxMetadataBytes)
  for (const [field, error] of Object.entries({ attachError, detachError })) {
    // The message names a different limit than the one that is checked, as upstream.
    if (byteLength(error?.message ?? "") > maxMessageBytes) errors.tooLong(`status.${field}.message`, maxMetadataBytes)
    const code = error?.errorCode ?? 0
    if (code < 0) errors.invalid(`status.${field}.errorCode`, code, rangeText(0, 2 ** 31 - 1))
  }
}

const checkAttachment = (errors: ErrorList, attachment: VolumeAttachment): void => {
  const { attacher = "", nodeName = "", source } = attachment.spec ?? {}
  validateObjectMeta(errors, attachment.metadata, options)
  validateCSIDriverName(errors, attacher, "spec.attacher")
  checkSource(errors, source)
  errors.invalidEach("spec.nodeName", nodeName, nameIsDNSSubdomain(nodeName, false))
  checkStatus(errors, attachment)
  const volume = source?.persistentVolumeName
  if (volume !== undefined) {
    errors.invalidEach("spec.source.persistentVolumeName", volume, nameIsDNSSubdomain(volume, false))
  }
}

export const validateVolumeAttachment = (attachment: VolumeAttachment): FieldErrors => {
  const errors = new ErrorList()
  checkAttachment(errors, attachment)
  return errors.all
}

/** Validates an update: the spec is read-only; the attacher writes the status through its subresource. */
export const validateVolumeAttachmentUpdate = (attachment: VolumeAttachment, old: VolumeAttachment): FieldErrors => {
  const errors = new ErrorList()
  checkAttachment(errors, attachment)
  if (!equalAs("storage.v1.VolumeAttachmentSpec", attachment.spec, old.spec)) {
    const shown = internalJson("storage.v1.VolumeAttachmentSpec", attachment.spec ?? {})
    errors.invalid("spec", shown, "field is immutable")
  }
  return errors.all
}

const checkDrivers = (errors: ErrorList, node: CSINode): void => {
  const names = new Set<string>()
  node.spec?.drivers?.forEach(({ allocatable, name = "", nodeID = "", topologyKeys }, index) => {
    const at = `spec.drivers[${index}]`
    validateCSIDriverName(errors, name, `${at}.name`)
    if (nodeID === "") errors.required(`${at}.nodeID`)
    if (byteLength(nodeID) > 256) errors.invalid(`${at}.nodeID`, nodeID, "must be 256 characters or less")
    errors.nonNegative(`${at}.allocatable.count`, allocatable?.count)
    if (names.has(name)) errors.duplicate(`${at}.name`, name)
    names.add(name)
    const keys = new Set<string>()
    topologyKeys?.forEach((key) => {
      if (key === "") errors.required(at)
      if (keys.has(key)) errors.duplicate(at, key)
      keys.add(key)
      errors.invalidEach(at, key, isQualifiedName(key))
    })
  })
}

export const validateCSINode = (node: CSINode): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, node.metadata, options)
  checkDrivers(errors, node)
  return errors.all
}

/** Validates an update: a driver's entry may be added and removed, but not changed, except for the number of volumes. */
export const validateCSINodeUpdate = (node: CSINode, old: CSINode): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, node.metadata, options)
  checkDrivers(errors, node)
  for (const stored of old.spec?.drivers ?? []) {
    for (const driver of node.spec?.drivers ?? []) {
      const { allocatable: _, ...entry } = driver
      const { allocatable: __, ...before } = stored
      if (driver.name !== stored.name || equalAs("storage.v1.CSINodeDriver", entry, before)) continue
      errors.invalid("spec.drivers", internalJson("storage.v1.CSINodeDriver", entry), "field is immutable")
    }
  }
  return errors.all
}
