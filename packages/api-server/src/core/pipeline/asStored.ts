import type { KubeObject } from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import { holdsEmpties, withEmptyBytes, withoutEmpties } from "@rollcall/api/wire"
import { rememberStoredForm } from "../objects/storedForms.ts"
import type { KindDefinition } from "../registry/KindDefinition.ts"

/** Returns an updated object as it is read back: with the defaults that reading sets, also where the update drops them. */
export const asUpdated = (definition: KindDefinition, object: KubeObject): KubeObject => {
  const { strategy, view } = definition
  const read = view === undefined ? strategy.asReadBack?.(object) : undefined
  const stored = asStored(definition, read ?? object)
  if (read !== undefined && !sameValue(read, object)) rememberStoredForm(stored, object)
  return stored
}

/**
 * Returns a valid object as it is read back from the store: without the lists, maps and bytes that the client gave as
 * empty, for which defaults are then set.
 */
export const asStored = ({ defaults }: KindDefinition, object: KubeObject): KubeObject => {
  if (!holdsEmpties(object)) return object
  const written = withoutEmpties(object)
  const read = defaults(written)
  const form = withEmptyBytes(object)
  if (form !== undefined && !sameValue(form, written)) rememberStoredForm(read, form)
  return read
}
