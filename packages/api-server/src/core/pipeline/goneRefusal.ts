import { genericResponse, type Status } from "@rollcall/api"
import type { KindState } from "../registry/KindState.ts"
import type { ServerCore } from "./ServerCore.ts"

/**
 * Why a request that paused cannot write to its kind any more: the definition of a custom resource was deleted meanwhile, and what would
 * be stored now could never be read.
 */
export const goneRefusal = ({ registry }: Pick<ServerCore, "registry">, state: KindState): Status | undefined => {
  const stored = state.base?.state ?? state
  return registry.kind(stored.definition.key) === stored ? undefined : genericResponse(404)
}
