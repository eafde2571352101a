import { annotationProvisionedBy, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import { type EventDraft, warning } from "./EventDraft.ts"
import { differsInMode } from "./match.ts"
import { isDeletedExternally } from "./provisioners.ts"

/** What to do with a volume. */
export type VolumeStep =
  | { readonly do: "phase"; readonly phase: "Available" | "Bound" }
  /**
   * Its claim no longer exists, or is bound to another volume. The phase becomes Released, unless it is Failed; then,
   * with `failure`, it becomes Failed.
   */
  | { readonly do: "release"; readonly failure?: EventDraft }
  /** Remove the binding: its claim is bound to another volume. */
  | { readonly do: "unbind" }
  /** Queue the claim, which is not bound to the volume yet. */
  | { readonly do: "enqueue claim" }
  /** The claim cannot be bound to the volume: record an Event on each. */
  | { readonly do: "event"; readonly volumeEvent: EventDraft; readonly claimEvent: EventDraft }

/**
 * The next step for a volume. `claim` is the claim that its claimRef names, with the same UID; undefined if there is
 * none. Upstream: pkg/controller/volume/persistentvolume/pv_controller.go syncVolume.
 */
export const planVolume = (volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeStep => {
  const { name = "" } = volume.metadata
  // A volume pre-bound to a claim that does not exist yet is Available.
  if (!volume.spec?.claimRef?.uid) return { do: "phase", phase: "Available" }
  if (claim === undefined) return releaseOf(volume)
  const boundName = claim.spec?.volumeName ?? ""
  if (boundName === name) return { do: "phase", phase: "Bound" }
  if (boundName === "") {
    if (!differsInMode(claim, volume)) return { do: "enqueue claim" }
    const why = "due to incompatible volumeMode."
    return {
      do: "event",
      volumeEvent: warning(
        "VolumeMismatch",
        `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${why}`
      ),
      claimEvent: warning(
        "VolumeMismatch",
        `Cannot bind PersistentVolume "${name}" to requested PersistentVolumeClaim ${why}`
      )
    }
  }
  // A volume that was provisioned for a claim which then got another volume is not needed any more.
  const isSpare =
    volume.metadata.annotations?.[annotationProvisionedBy] !== undefined &&
    volume.spec.persistentVolumeReclaimPolicy === "Delete"
  return isSpare ? releaseOf(volume) : { do: "unbind" }
}

const releaseOf = (volume: PersistentVolume): VolumeStep => {
  const failure = failureOf(volume)
  return failure === undefined ? { do: "release" } : { do: "release", failure }
}

/**
 * Why the reclaim policy of a released volume cannot be carried out: this controller neither recycles nor deletes.
 * Upstream: reclaimVolume.
 */
const failureOf = ({ metadata, spec }: PersistentVolume): EventDraft | undefined => {
  switch (spec?.persistentVolumeReclaimPolicy ?? "Retain") {
    case "Retain":
      return undefined
    case "Recycle":
      return warning("VolumeFailedRecycle", "No recycler plugin found for the volume!")
    case "Delete":
      return spec?.csi !== undefined || isDeletedExternally(metadata.annotations?.[annotationProvisionedBy])
        ? undefined
        : warning(
            "VolumeFailedDelete",
            `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`
          )
    default:
      return warning("VolumeUnknownReclaimPolicy", "Volume has unrecognized PersistentVolumeReclaimPolicy")
  }
}
