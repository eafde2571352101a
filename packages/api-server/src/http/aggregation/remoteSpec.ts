import { type Fields, isFields } from "@rollcall/api/values"
import type { RemoteSpec } from "../request/RemoteVersions.ts"

const REFERENCE = "#/definitions/"

/** Adds the names of the definitions that a value refers to. */
const addReferences = (value: unknown, names: Set<string>): void => {
  if (Array.isArray(value)) {
    for (const item of value) addReferences(item, names)
  } else if (isFields(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (name === "$ref" && typeof inner === "string" && inner.startsWith(REFERENCE)) {
        names.add(inner.slice(REFERENCE.length))
      } else addReferences(inner, names)
    }
  }
}

/**
 * Returns what an OpenAPI document of version 2 says of a version: its paths, and the definitions that these need.
 * Upstream: kube-aggregator/pkg/controllers/openapi/aggregator, FilterSpecByPaths.
 */
export const remoteSpecOf = (document: Fields, group: string, version: string, hash: string): RemoteSpec => {
  const prefix = `/apis/${group}/${version}/`
  const all = isFields(document.paths) ? document.paths : {}
  const definitions = isFields(document.definitions) ? document.definitions : {}
  const paths = Object.fromEntries(Object.entries(all).filter(([path]) => path.startsWith(prefix)))
  const needed = new Set<string>()
  addReferences(paths, needed)
  // What is added while the set is visited is visited, too.
  for (const name of needed) addReferences(definitions[name], needed)
  const kept = [...needed].filter((name) => definitions[name] !== undefined).map((name) => [name, definitions[name]])
  return { hash, paths, definitions: Object.fromEntries(kept) }
}
