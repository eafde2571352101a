import { annotationProvisionedBy, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import { differsInMode } from "./match.ts"
import { deletesOutside } from "./provisioners.ts"
import { type Told, warning } from "./Told.ts"

export type VolumeStep =
  | { readonly do: "phase"; readonly phase: "Available" | "Bound" }
  /** Its claim is gone, or has another: Released, unless it is Failed; `failure` makes it so. */
  | { readonly do: "release"; readonly failure?: Told }
  /** Nobody has it any more, or whoever it was set aside for has not got it. */
  | { readonly do: "unbind" }
  /** The claim is to be looked at: it has not got its volume yet. */
  | { readonly do: "look at claim" }
  /** The claim cannot have it. */
  | { readonly do: "tell"; readonly ofVolume: Told; readonly ofClaim: Told }

/**
 * What is next for a volume; `claim` is the one that it names, of the same UID, undefined if that is gone.
 * Upstream: pkg/controller/volume/persistentvolume/pv_controller.go syncVolume.
 */
export const planVolume = (volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeStep => {
  const { name = "" } = volume.metadata
  // Set aside for a claim that has not come, it is as good as free.
  if (!volume.spec?.claimRef?.uid) return { do: "phase", phase: "Available" }
  if (claim === undefined) return releaseOf(volume)
  const has = claim.spec?.volumeName ?? ""
  if (has === name) return { do: "phase", phase: "Bound" }
  if (has === "") {
    if (!differsInMode(claim, volume)) return { do: "look at claim" }
    const why = "due to incompatible volumeMode."
    return {
      do: "tell",
      ofVolume: warning(
        "VolumeMismatch",
        `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${why}`
      ),
      ofClaim: warning(
        "VolumeMismatch",
        `Cannot bind PersistentVolume "${name}" to requested PersistentVolumeClaim ${why}`
      )
    }
  }
  // Made for a claim that has found another.
  const isSpare =
    volume.metadata.annotations?.[annotationProvisionedBy] !== undefined &&
    volume.spec.persistentVolumeReclaimPolicy === "Delete"
  return isSpare ? releaseOf(volume) : { do: "unbind" }
}

const releaseOf = (volume: PersistentVolume): VolumeStep => {
  const failure = failureOf(volume)
  return failure === undefined ? { do: "release" } : { do: "release", failure }
}

/** Why what is to become of a released volume cannot be: nothing is recycled or deleted here. Upstream: reclaimVolume. */
const failureOf = ({ metadata, spec }: PersistentVolume): Told | undefined => {
  switch (spec?.persistentVolumeReclaimPolicy ?? "Retain") {
    case "Retain":
      return undefined
    case "Recycle":
      return warning("VolumeFailedRecycle", "No recycler plugin found for the volume!")
    case "Delete":
      return deletesOutside(metadata.annotations?.[annotationProvisionedBy])
        ? undefined
        : warning(
            "VolumeFailedDelete",
            `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`
          )
    default:
      return warning("VolumeUnknownReclaimPolicy", "Volume has unrecognized PersistentVolumeReclaimPolicy")
  }
}
