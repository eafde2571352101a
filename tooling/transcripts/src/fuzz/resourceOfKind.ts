import { apiVersionOf, type KindName, resourceOf } from "@rollcall/api"
import { wireTypeOf } from "@rollcall/api/wire"
import { bases, dryKinds } from "./bases.ts"
import type { Resource } from "./Resource.ts"

/** Returns a kind of the API as a resource. */
export const resourceOfKind = (kind: KindName): Resource => {
  const { namespaced, plural } = resourceOf(kind)
  const base = bases[kind] ?? dryKinds[kind] ?? {}
  const isDry = dryKinds[kind] !== undefined
  return {
    kind,
    apiVersion: apiVersionOf(kind),
    plural,
    namespaced,
    type: wireTypeOf(kind),
    base,
    isDry,
    isCustom: false
  }
}
