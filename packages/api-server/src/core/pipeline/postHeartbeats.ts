import type { Node } from "@rollcall/api"
import * as Result from "effect/Result"
import type { Cached } from "../watch/KindCache.ts"
import type { ServerCore } from "./ServerCore.ts"

/**
 * Returns the cache entry of a Node of which an update may change only heartbeat times. Undefined if it is not the
 * stored one, because somebody has written it, or if something takes part in updates.
 */
export const entryOfHeartbeat = (core: ServerCore, current: Node): Cached | undefined => {
  const cached = core.registry.kinds.Node.cache.get("", current.metadata.name ?? "")
  if (cached === undefined || cached.object !== current) return undefined
  if (core.auditsRenewals === true || core.ownership !== undefined) return undefined
  return core.admission.get("Node", "update", "status") === undefined ? cached : undefined
}

/**
 * Stores a Node of which only heartbeat times differ from the stored one, as the PATCH of an unchanged status does: 5,000
 * kubelets post 60,000 of those an hour. With such a difference there is nothing to merge, to decode and to validate.
 * Returns undefined if it has done nothing.
 */
export const postHeartbeats = (core: ServerCore, current: Node, next: Node): Node | undefined => {
  const cached = entryOfHeartbeat(core, current)
  if (cached === undefined) return undefined
  const object: Node = { ...next, metadata: { ...current.metadata } }
  let stored: Node | undefined
  core.registry.update(core.registry.kinds.Node, cached, object, (result) => {
    if (Result.isSuccess(result)) stored = object
  })
  return stored
}
