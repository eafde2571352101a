import { emptyObject } from "../objects/emptyObjects.ts"
import { isCustom, type KindDefinition } from "../registry/KindDefinition.ts"

/** Returns an object of the kind as Go answers one without any value. A custom resource has not even metadata then. */
export const emptyObjectOf = (definition: KindDefinition): unknown => {
  const { apiVersion, resource } = definition
  const named = { apiVersion, kind: resource.kind }
  if (isCustom(definition)) return named
  return emptyObject({ ...named, metadata: {} })
}
