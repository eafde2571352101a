import { annotationMigratedTo, annotationProvisionedBy, type PersistentVolume, type Pod } from "@rollcall/api"
import { type EventDraft, warning } from "./EventDraft.ts"
import { isDeletedExternally } from "./provisioners.ts"
import { recyclerPod } from "./recyclerPod.ts"

/** What the reclaim policy of a released volume asks of this controller. */
export type Reclaim =
  /** The volume stays, or an external provisioner deletes it. */
  | { readonly do: "nothing" }
  | { readonly do: "delete" }
  /** Run the pod, which empties the volume, and make the volume available again. */
  | { readonly do: "recycle"; readonly pod: Pod }
  | { readonly do: "fail"; readonly failure: EventDraft }

const nothing: Reclaim = { do: "nothing" }
const HOST_PATH = "kubernetes.io/host-path"
const NFS = "kubernetes.io/nfs"
const NOT_DELETABLE = "no deletable volume plugin matched"
/** Upstream: pkg/volume/hostpath/host_path.go Delete. */
const deletablePath = /\/tmp\/.+/

const fail = (reason: string, message: string): Reclaim => ({ do: "fail", failure: warning(reason, message) })
const failToDelete = (message: string): Reclaim => fail("VolumeFailedDelete", message)

/** Deletes the volume of a folder of a machine, of which no content is modelled outside of pods. */
const deleteFolder = ({ metadata, spec }: PersistentVolume): Reclaim => {
  const path = spec?.hostPath?.path
  if (path === undefined) {
    const why = "spec.PersistentVolumeSource.HostPath is nil"
    return failToDelete(`failed to create deleter for volume "${metadata.name}": ${why}`)
  }
  return deletablePath.test(path)
    ? { do: "delete" }
    : failToDelete(`host_path deleter only supports /tmp/.+ but received provided ${path}`)
}

/** The plugin is that which has provisioned the volume, else that of its source. Upstream: findDeletablePlugin. */
const deletionOf = (volume: PersistentVolume): Reclaim => {
  const { metadata, spec } = volume
  const provisioner = metadata.annotations?.[annotationProvisionedBy]
  if (isDeletedExternally(provisioner)) return nothing
  if (provisioner === HOST_PATH) return deleteFolder(volume)
  if (provisioner === NFS) return failToDelete(NOT_DELETABLE)
  if (provisioner) return failToDelete(`no volume plugin matched name: ${provisioner}`)
  if (spec?.csi !== undefined) return nothing
  if (spec?.hostPath !== undefined) return deleteFolder(volume)
  const why = spec?.nfs === undefined ? "no volume plugin matched" : NOT_DELETABLE
  return failToDelete(`error getting deleter volume plugin for volume "${metadata.name}": ${why}`)
}

/** Upstream: pkg/controller/volume/persistentvolume/pv_controller.go reclaimVolume. */
export const reclaimOf = (volume: PersistentVolume): Reclaim => {
  if (volume.metadata.annotations?.[annotationMigratedTo]) return nothing
  switch (volume.spec?.persistentVolumeReclaimPolicy ?? "Retain") {
    case "Retain":
      return nothing
    case "Recycle": {
      const pod = recyclerPod(volume)
      return pod === undefined
        ? fail("VolumeFailedRecycle", "No recycler plugin found for the volume!")
        : { do: "recycle", pod }
    }
    case "Delete":
      return deletionOf(volume)
    default:
      return fail("VolumeUnknownReclaimPolicy", "Volume has unrecognized PersistentVolumeReclaimPolicy")
  }
}
