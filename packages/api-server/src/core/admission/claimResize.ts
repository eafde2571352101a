import { compareQuantity, forbidden, groupResourceOf, type PersistentVolumeClaim } from "@rollcall/api"
import type { AdmissionPlugin } from "./Admission.ts"

const sizeOf = ({ spec }: PersistentVolumeClaim) => spec?.resources?.requests?.storage ?? 0

const betaClass = "volume.beta.kubernetes.io/storage-class"

const classOf = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.[betaClass] ?? spec?.storageClassName ?? ""

/**
 * Lets a claim grow only when it is bound and its storage class allows it. Upstream:
 * plugin/pkg/admission/storage/persistentvolume/resize/admission.go.
 */
export const claimResizeAdmission: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",
  admits: (kind, verb, subresource) =>
    kind === "PersistentVolumeClaim" && verb === "update" && subresource === undefined,
  validate: ({ name, object, oldObject, resource }, { reader }) => {
    const claim = object as PersistentVolumeClaim
    const old = oldObject as PersistentVolumeClaim
    if (compareQuantity(sizeOf(claim), sizeOf(old)) <= 0) return undefined
    const refuse = (why: string) => forbidden(groupResourceOf(resource), name, why)
    if (old.status?.phase !== "Bound") return refuse("Only bound persistent volume claims can be expanded")
    const className = classOf(claim)
    const mayGrow =
      className !== "" &&
      className === classOf(old) &&
      reader.get("StorageClass", "", className)?.allowVolumeExpansion === true
    return mayGrow
      ? undefined
      : refuse(
          "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
        )
  }
}
