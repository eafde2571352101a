import type { PersistentVolumeSpec } from "../objects/PersistentVolume.ts"
import type { Quantity } from "../objects/Scalars.ts"
import { canonicalQuantity, signOf, value } from "../quantity/Quantity.ts"
import { checkAccessModes, checkClassName, checkVolumeMode } from "./claimSpec.ts"
import type { ErrorList } from "./ErrorList.ts"
import { sortedMap } from "./goFormat.ts"
import { validateVolumeNodeAffinity } from "./nodeAffinity.ts"
import { isRoot, validateNoBacksteps } from "./paths.ts"
import { checkSecretReference, type Source, volumePlugins } from "./volumePlugins.ts"
import { validateCSIDriverName, validateHostPath } from "./volumes.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePersistentVolumeSpec. */

const reclaimPolicies = ["Delete", "Recycle", "Retain"]

/** The sources in the order in which they are checked. `shownAs` is how messages spell one, where they do it differently. */
const sources: ReadonlyArray<readonly [field: string, shownAs?: string]> = [
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

const checkLocal = (errors: ErrorList, { local, nodeAffinity }: PersistentVolumeSpec, at: string, inline: boolean) => {
  const path = local?.path ?? ""
  if (path === "") errors.required(`${at}.local.path`)
  else validateNoBacksteps(errors, path, `${at}.local.path`)
  // An inline volume must not have the affinity that it lacks.
  if (inline || nodeAffinity === undefined) errors.required(`${at}.nodeAffinity`, "Local volume requires node affinity")
}

const secretReferences = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef"
]

const checkCsi = (errors: ErrorList, csi: Source, at: string): void => {
  validateCSIDriverName(errors, typeof csi.driver === "string" ? csi.driver : "", `${at}.driver`)
  if (!csi.volumeHandle) errors.required(`${at}.volumeHandle`)
  for (const field of secretReferences) {
    if (csi[field] !== undefined) checkSecretReference(errors, csi[field] as Source, `${at}.${field}`)
  }
}

const checkSource = (errors: ErrorList, spec: PersistentVolumeSpec, at: string, name: string, inline: boolean) => {
  const { hostPath } = spec
  let found = 0
  for (const [field, shownAs = field] of sources) {
    const source = (spec as Readonly<Record<string, unknown>>)[field] as Source | undefined
    if (source === undefined) continue
    if (found > 0 && field !== "flexVolume") {
      errors.forbidden(`${at}.${shownAs}`, "may not specify more than 1 volume type")
      continue
    }
    found++
    if (field === "hostPath" && hostPath !== undefined) validateHostPath(errors, hostPath, `${at}.hostPath`)
    else if (field === "local") checkLocal(errors, spec, at, inline)
    else if (field === "csi") checkCsi(errors, source, `${at}.csi`)
    else volumePlugins[field]?.(errors, source, `${at}.${field}`, name)
  }
  if (found === 0) errors.required(at, "must specify a volume type")
}

const checkCapacity = (errors: ErrorList, capacity: PersistentVolumeSpec["capacity"], at: string): void => {
  const entries = Object.entries(capacity ?? {})
  if (entries.length === 0) errors.required(at)
  if (capacity?.storage === undefined || entries.length > 1) errors.notSupported(at, sortedMap(capacity), ["storage"])
  for (const [name, quantity] of entries) checkPositive(errors, quantity, `${at}[${name}]`)
}

const checkAttributesClass = (errors: ErrorList, spec: PersistentVolumeSpec, at: string): void => {
  const name = spec.volumeAttributesClassName
  if (name === undefined) return
  if (name === "") errors.required(`${at}.volumeAttributesClassName`, "an empty string is disallowed")
  else checkClassName(errors, name, `${at}.volumeAttributesClassName`)
  if (spec.csi === undefined) errors.required(`${at}.csi`, "has to be specified when using volumeAttributesClassName")
}

const checkAccess = (errors: ErrorList, modes: ReadonlyArray<string>, at: string): void => {
  if (modes.length === 0) errors.required(at)
  checkAccessModes(errors, modes, at)
}

const checkRecycledRoot = (errors: ErrorList, spec: PersistentVolumeSpec, at: string): void => {
  if (spec.hostPath === undefined || !isRoot(spec.hostPath.path)) return
  if (spec.persistentVolumeReclaimPolicy !== "Recycle") return
  errors.forbidden(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")
}

/** Checks the spec of a volume of the given name. */
export const validatePersistentVolumeSpec = (
  errors: ErrorList,
  spec: PersistentVolumeSpec,
  at: string,
  name: string
): void => {
  const policy = spec.persistentVolumeReclaimPolicy ?? ""
  checkAccess(errors, spec.accessModes ?? [], `${at}.accessModes`)
  checkCapacity(errors, spec.capacity, `${at}.capacity`)
  if (policy !== "" && !reclaimPolicies.includes(policy)) {
    errors.notSupported(`${at}.persistentVolumeReclaimPolicy`, policy, reclaimPolicies)
  }
  if (spec.nodeAffinity !== undefined) validateVolumeNodeAffinity(errors, spec.nodeAffinity, `${at}.nodeAffinity`)
  checkSource(errors, spec, at, name, false)
  checkRecycledRoot(errors, spec, at)
  checkClassName(errors, spec.storageClassName, `${at}.storageClassName`)
  checkVolumeMode(errors, spec.volumeMode, `${at}.volumeMode`)
  checkAttributesClass(errors, spec, at)
}

const ofInline = "in the context of inline volumes"

/** Checks the spec of a volume that a VolumeAttachment holds itself: what a pod's inline volume of a CSI driver became. */
export const validateInlineVolumeSpec = (errors: ErrorList, spec: PersistentVolumeSpec, at: string): void => {
  const refuse = (field: string): void => errors.forbidden(`${at}.${field}`, `may not be specified ${ofInline}`)
  const { persistentVolumeReclaimPolicy: policy = "", volumeMode = "Filesystem" } = spec
  if (spec.claimRef !== undefined) refuse("claimRef")
  if (Object.keys(spec.capacity ?? {}).length > 0) refuse("capacity")
  if (spec.csi === undefined) errors.required(`${at}.csi`, `has to be specified ${ofInline}`)
  checkAccess(errors, spec.accessModes ?? [], `${at}.accessModes`)
  if (policy !== "" && policy !== "Retain") {
    errors.forbidden(`${at}.persistentVolumeReclaimPolicy`, `may only be Retain ${ofInline}`)
  }
  if (spec.nodeAffinity !== undefined) refuse("nodeAffinity")
  checkSource(errors, spec, at, "", true)
  checkRecycledRoot(errors, spec, at)
  if ((spec.storageClassName ?? "") !== "") refuse("storageClassName")
  if (volumeMode !== "Filesystem") {
    errors.forbidden(`${at}.volumeMode`, `may not specify volumeMode other than Filesystem ${ofInline}`)
  }
}
