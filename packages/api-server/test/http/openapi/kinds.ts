import type { Resource } from "@rollcall/api"
import type { KindDefinition } from "../../../src/core/registry/KindDefinition.ts"
import type { KindState } from "../../../src/core/registry/KindState.ts"
import { kindTable } from "../../../src/core/registry/table.ts"
import { type OpenApiKind, openApiKindOf } from "../../../src/http/openapi/index.ts"
import { type Route, routeOf, routeWith } from "../../../src/http/request/Routes.ts"

/** The description of a kind with this definition. */
export const kindOfDefinition = (
  definition: Pick<KindDefinition, "resource" | "subresources"> & Partial<KindDefinition>
): OpenApiKind => {
  const kind = openApiKindOf(routeOf({ definition } as KindState, []))
  if (kind === undefined) throw new Error("no kind")
  return kind
}

/** The descriptions of the kinds of the table. */
export const builtInKinds = (): ReadonlyArray<OpenApiKind> => Object.values(kindTable).map(kindOfDefinition)

/** The route of a resource that is answered and not stored. */
export const routeOfVirtual = (resource: Resource): Route => routeWith({ resource })
