import { emptyObject } from "../objects/emptyObjects.ts"
import { isCustom, type KindDefinition } from "../registry/KindDefinition.ts"

/** Go writes a list that has never been set as null. */
const withoutLists = (_: string, value: unknown) => (Array.isArray(value) ? null : value)

/** Returns an object of the kind as Go answers one without any value. A custom resource has not even metadata then. */
export const emptyObjectOf = (definition: KindDefinition): unknown => {
  const { apiVersion, resource } = definition
  const named = { apiVersion, kind: resource.kind }
  if (isCustom(definition)) return named
  return JSON.parse(JSON.stringify(emptyObject({ ...named, metadata: {} }), withoutLists))
}
