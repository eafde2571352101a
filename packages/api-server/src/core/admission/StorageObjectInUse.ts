import * as Result from "effect/Result"
import type { AdmissionPlugin } from "./Admission.ts"

const finalizers: Readonly<Record<string, string>> = {
  PersistentVolume: "kubernetes.io/pv-protection",
  PersistentVolumeClaim: "kubernetes.io/pvc-protection"
}

/** Keeps volumes and claims from going while they are in use. Upstream: plugin/pkg/admission/storage/storageobjectinuseprotection. */
export const storageObjectInUse: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  admits: (kind, verb, subresource) => verb === "create" && subresource === undefined && finalizers[kind] !== undefined,
  mutate: ({ kind, object }) => {
    const finalizer = finalizers[kind]
    if (object === undefined || finalizer === undefined) return Result.succeed(object)
    const given = object.metadata.finalizers ?? []
    if (given.includes(finalizer)) return Result.succeed(object)
    return Result.succeed({ ...object, metadata: { ...object.metadata, finalizers: [...given, finalizer] } })
  }
}
