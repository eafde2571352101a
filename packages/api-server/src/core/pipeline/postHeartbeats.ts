import type { Node } from "@rollcall/api"
import * as Result from "effect/Result"
import type { ServerCore } from "./ServerCore.ts"

/**
 * Stores a Node of which only heartbeat times differ from the stored one, as the PATCH of an unchanged status does: 5,000
 * kubelets post 60,000 of those an hour. With such a difference there is nothing to merge, to decode and to validate.
 * Returns undefined if it has done nothing, because somebody has written the Node, or something takes part in updates.
 */
export const postHeartbeats = (core: ServerCore, current: Node, next: Node): Node | undefined => {
  const state = core.registry.kinds.Node
  const cached = state.cache.get("", current.metadata.name ?? "")
  if (cached === undefined || cached.object !== current) return undefined
  if (core.auditsRenewals === true || core.ownership !== undefined) return undefined
  if (core.admission.get("Node", "update", "status") !== undefined) return undefined
  const object: Node = { ...next, metadata: { ...current.metadata } }
  let stored: Node | undefined
  core.registry.update(state, cached, object, (result) => {
    if (Result.isSuccess(result)) stored = object
  })
  return stored
}
