import { defaultStorageClassOf, hasStorageClassSet, type PersistentVolumeClaim } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionPlugin } from "./Admission.ts"

/**
 * Sets the default storage class of new claims without one, if there is a default. Upstream:
 * plugin/pkg/admission/storage/storageclass/setdefault.
 */
export const defaultStorageClassAdmission: AdmissionPlugin = {
  name: "DefaultStorageClass",
  admits: (kind, verb, subresource) =>
    kind === "PersistentVolumeClaim" && verb === "create" && subresource === undefined,
  mutate: ({ object }, { reader }) => {
    const claim = object as PersistentVolumeClaim
    const { spec } = claim
    if (hasStorageClassSet(claim)) return Result.succeed(claim)
    const found = defaultStorageClassOf(reader.list("StorageClass"))
    if (found === undefined) return Result.succeed(claim)
    return Result.succeed({ ...claim, spec: { ...spec, storageClassName: found.metadata.name ?? "" } })
  }
}

/** The finalizer of each kind that the plugin handles. */
const finalizerByKind: Readonly<Record<string, string>> = {
  PersistentVolume: "kubernetes.io/pv-protection",
  PersistentVolumeClaim: "kubernetes.io/pvc-protection",
  VolumeAttributesClass: "kubernetes.io/vac-protection"
}

/**
 * Adds the finalizers that keep volumes, claims and classes of attributes while they are in use. Upstream:
 * plugin/pkg/admission/storage/storageobjectinuseprotection.
 */
export const storageObjectInUse: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  admits: (kind, verb, subresource) =>
    verb === "create" && subresource === undefined && finalizerByKind[kind] !== undefined,
  mutate: ({ kind, object }) => {
    const finalizer = finalizerByKind[kind]
    if (object === undefined || finalizer === undefined) return Result.succeed(object)
    const given = object.metadata.finalizers ?? []
    if (given.includes(finalizer)) return Result.succeed(object)
    return Result.succeed({ ...object, metadata: { ...object.metadata, finalizers: [...given, finalizer] } })
  }
}
