import type { KubeObject } from "@rollcall/api"
import type { Operation } from "@rollcall/store"
import type { CurrentRevision } from "./CurrentRevision.ts"
import type { KindDefinition } from "./KindDefinition.ts"

/**
 * Returns what is written for one change of an object: with the time after which a store that can do so deletes it, and in a
 * store of several servers together with what the object claims.
 */
export const batchOf = (
  { claims, expireMs }: Pick<KindDefinition, "claims" | "expireMs">,
  { isShared }: Pick<CurrentRevision, "isShared">,
  change: Operation,
  previous: KubeObject | undefined
): ReadonlyArray<Operation> => {
  const object = change.type === "put" ? (change.value as KubeObject) : undefined
  const timed = change.type === "delete" || expireMs === undefined ? change : { ...change, ttlMs: expireMs }
  return isShared && claims !== undefined ? [timed, ...claims(object, previous)] : [timed]
}
