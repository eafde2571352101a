import type { PersistentVolumeClaim, StorageClass } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionPlugin } from "./Admission.ts"

const IS_DEFAULT = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]
const BETA_CLASS = "volume.beta.kubernetes.io/storage-class"

/** Newest first, equally new ones by name. Upstream: pkg/volume/util/storageclass.go GetDefaultClass. */
const byAge = ({ metadata: a }: StorageClass, { metadata: b }: StorageClass): number => {
  const [newer, older] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""]
  if (newer !== older) return newer > older ? -1 : 1
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1
}

/** Gives new claims that say no class the default one, if there is one. Upstream: plugin/pkg/admission/storage/storageclass/setdefault. */
export const defaultStorageClassAdmission: AdmissionPlugin = {
  name: "DefaultStorageClass",
  admits: (kind, verb, subresource) =>
    kind === "PersistentVolumeClaim" && verb === "create" && subresource === undefined,
  mutate: ({ object }, { reader }) => {
    const claim = object as PersistentVolumeClaim
    const { metadata, spec } = claim
    if (spec?.storageClassName !== undefined || metadata.annotations?.[BETA_CLASS] !== undefined) {
      return Result.succeed(claim)
    }
    const [found] = reader
      .list("StorageClass")
      .filter((candidate) => IS_DEFAULT.some((key) => candidate.metadata.annotations?.[key] === "true"))
      .sort(byAge)
    if (found === undefined) return Result.succeed(claim)
    return Result.succeed({ ...claim, spec: { ...spec, storageClassName: found.metadata.name ?? "" } })
  }
}
