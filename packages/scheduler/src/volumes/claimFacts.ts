import { annotationBindCompleted, type PersistentVolumeClaim } from "@rollcall/api"

/** Tells claims apart, also from those that had their names before them. */
export const claimKeyOf = ({ metadata }: PersistentVolumeClaim): string =>
  `${metadata.namespace ?? ""}/${metadata.name}/${metadata.uid ?? ""}`

/**
 * True once a claim has its volume and the volume has it. A claim that names a volume but is not bound yet is not; of one whose
 * status says so it is believed, whoever bound it.
 */
export const isFullyBound = ({ metadata, spec, status }: PersistentVolumeClaim): boolean =>
  (spec?.volumeName ?? "") !== "" &&
  (metadata.annotations?.[annotationBindCompleted] !== undefined || status?.phase === "Bound")
