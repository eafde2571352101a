import { isFields } from "@rollcall/api/values"
import type { Json } from "./OpenApiKind.ts"

/** The part of a document of version 2 that another API server has of one of its versions. */
interface Spec {
  readonly paths: Json
  readonly definitions: Json
}

const membersOf = (value: unknown): Json => (isFields(value) ? value : {})

/**
 * Adds the paths and definitions of other API servers to a document of version 2. Of two definitions of one name, the
 * first is kept. Upstream: kube-openapi/pkg/aggregator, MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters.
 */
export const mergeSpecs = (own: Json, specs: ReadonlyArray<Spec>): Json => {
  const paths: Record<string, unknown> = { ...membersOf(own.paths) }
  const definitions: Record<string, unknown> = { ...membersOf(own.definitions) }
  for (const spec of specs) {
    for (const [path, item] of Object.entries(spec.paths)) paths[path] ??= item
    for (const [name, definition] of Object.entries(spec.definitions)) definitions[name] ??= definition
  }
  return { ...own, paths, definitions }
}
