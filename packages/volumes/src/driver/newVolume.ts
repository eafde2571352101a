import {
  annotationProvisionedBy,
  finalizerProvisioner,
  labelZone,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass
} from "@rollcall/api"
import { referenceTo } from "@rollcall/cluster"

/** The name of the volume that is provisioned for a claim. */
export const volumeNameOf = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata.uid}`

/**
 * The volume that a CSI driver creates for a claim, accessible from these zones; no zones mean all. Upstream:
 * external-provisioner pkg/controller/controller.go Provision.
 */
export const newVolume = (
  claim: PersistentVolumeClaim,
  { metadata, mountOptions, reclaimPolicy = "Delete" }: StorageClass,
  driver: string,
  zones: ReadonlyArray<string>
): PersistentVolume => {
  const name = volumeNameOf(claim)
  const storage = claim.spec?.resources?.requests?.storage ?? "1Gi"
  const inZones = { key: labelZone, operator: "In", values: zones } as const
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name,
      annotations: { [annotationProvisionedBy]: driver },
      ...(reclaimPolicy === "Delete" ? { finalizers: [finalizerProvisioner] } : {})
    },
    spec: {
      accessModes: claim.spec?.accessModes ?? ["ReadWriteOnce"],
      capacity: { storage },
      claimRef: referenceTo(claim),
      csi: { driver, volumeHandle: name },
      ...(mountOptions === undefined ? {} : { mountOptions }),
      ...(zones.length === 0
        ? {}
        : { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [inZones] }] } } }),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata.name ?? "",
      volumeMode: claim.spec?.volumeMode ?? "Filesystem"
    }
  }
}
