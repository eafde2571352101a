import { annotationProvisionedBy, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import { type EventDraft, warning } from "./EventDraft.ts"
import { differsInMode } from "./match.ts"

/** What to do with a volume. */
export type VolumeStep =
  | { readonly do: "phase"; readonly phase: "Available" | "Bound" }
  /**
   * Its claim no longer exists, or is bound to another volume. The phase becomes Released, unless it is Failed; then the
   * reclaim policy is carried out.
   */
  | { readonly do: "release" }
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
  if (claim === undefined) return { do: "release" }
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
  return isSpare ? { do: "release" } : { do: "unbind" }
}
