import { conflict, groupResourceOf, type Status } from "@rollcall/api"
import type { Target } from "../registry/KindState.ts"

/** The conflict of a write for another uid than that of the object (`stored`); of no object it is empty. */
export const uidConflict = (target: Target, at: string, given: string, stored = ""): Status =>
  storageConflict(target, at, "UID", given, stored)

/** The conflict of a binding for another resourceVersion than that of the pod, which the store checks. */
export const revisionConflict = (target: Target, at: string, given: string, stored = ""): Status =>
  storageConflict(target, at, "ResourceVersion", given, stored)

const storageConflict = (
  { dryRun, name, state }: Target,
  at: string,
  field: string,
  given: string,
  stored: string
): Status => {
  // A dry run looks the object up without the prefix of the store.
  const key = dryRun ? at.replace(/^\/registry/, "") : at
  const why = `Precondition failed: ${field} in precondition: ${given}, ${field} in object meta: ${stored}`
  return conflict(
    groupResourceOf(state.definition.resource),
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
  )
}
