import { annotationBindCompleted, type PersistentVolumeClaim } from "@rollcall/api"

/** `namespace/name/uid`: the uid tells a claim from a deleted one that had the same name. */
export const claimKeyOf = ({ metadata }: PersistentVolumeClaim): string =>
  `${metadata.namespace ?? ""}/${metadata.name}/${metadata.uid ?? ""}`

/**
 * Whether claim and volume are bound to each other. A claim that names a volume but lacks the annotation of a
 * completed binding is not; a claim with status Bound is, regardless of who bound it.
 */
export const isFullyBound = ({ metadata, spec, status }: PersistentVolumeClaim): boolean =>
  (spec?.volumeName ?? "") !== "" &&
  (metadata.annotations?.[annotationBindCompleted] !== undefined || status?.phase === "Bound")

/** A name in double quotes, as Go's `%q` prints it. */
export const quoted = (text = ""): string => JSON.stringify(text)
