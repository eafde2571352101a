import { conflict, groupResourceOf, type Status } from "@rollcall/api"
import type { Target } from "../registry/KindState.ts"

/** The conflict of a write for another uid than that of the object (`stored`); of no object it is empty. */
export const uidConflict = ({ dryRun, name, state }: Target, at: string, given: string, stored = ""): Status => {
  // A dry run looks the object up without the prefix of the store.
  const key = dryRun ? at.replace(/^\/registry/, "") : at
  const why = `Precondition failed: UID in precondition: ${given}, UID in object meta: ${stored}`
  return conflict(
    groupResourceOf(state.definition.resource),
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
  )
}
