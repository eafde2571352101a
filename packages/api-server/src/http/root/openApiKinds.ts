import { type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import type { OpenApiKind } from "@rollcall/openapi"
import { lazily } from "@rollcall/time"
import type { Route, Routes } from "../request/Routes.ts"
import type { CatchErrors } from "./discovery.ts"

/** Makes the documents, of which many clients never ask. */
export const loadOpenApi = lazily(() => import("@rollcall/openapi"))

/** Returns the description of a served kind; undefined if its fields are unknown. */
export const openApiKindOf = ({ isCustom, resource, state, subresources, verbs }: Route): OpenApiKind | undefined => {
  const { group, kind, namespaced, plural, version } = resource
  const definition = state?.definition
  const type = definition?.message ?? wireTypeOfGvk({ group, version, kind })
  const schema = definition?.schema
  if (schema === undefined && type === undefined) return undefined
  return {
    group,
    version,
    kind,
    plural,
    namespaced,
    verbs,
    isCustom,
    shape: schema === undefined ? { type: type as MessageType } : { schema },
    subresources: [...subresources.values()].map(({ isConnected = false, kind, name, verbs }) => ({
      name,
      verbs,
      isConnected,
      gvk: kind
    })),
    selectable: isCustom ? (definition?.selectable?.filter((field) => !field.startsWith("metadata.")) ?? []) : [],
    // A namespace is returned, too, but upstream does not say so.
    deleteReturnsObject: definition?.returnsDeleted === true && kind !== "Namespace"
  }
}

/** Returns the descriptions of all served kinds. */
export const openApiKindsOf = (routes: Routes, catching: CatchErrors): ReadonlyArray<OpenApiKind> => {
  const kinds: Array<OpenApiKind> = []
  for (const [group, versions] of routes.groups()) {
    for (const version of versions) {
      for (const route of routes.groupVersion(group, version)?.values() ?? []) {
        const kind = catching(route.resource, () => openApiKindOf(route))
        if (kind !== undefined) kinds.push(kind)
      }
    }
  }
  return kinds
}
