import type { KubeObject } from "@rollcall/api"
import { StoreConflict, type StoreShape } from "@rollcall/store"
import * as Result from "effect/Result"
import type { Cached } from "../watch/KindCache.ts"
import type { Base } from "./KindState.ts"
import { stamp } from "./stamp.ts"

/** The store's own: the revision of the write, which the object bears by then, or why nothing was written. */
export type StoreReply = Parameters<StoreShape["write"]>[1]

/** A write to what a view shows, made to what its base has: still at the revision that was shown. */
export const throughView = (
  base: Base,
  shown: Cached,
  object: KubeObject,
  reply: StoreReply,
  write: (real: Cached, stored: KubeObject, done: StoreReply) => void
) => {
  const real = base.state.cache.get(shown.namespace, shown.name)
  if (real === undefined || real.revision !== shown.revision) {
    return reply(Result.fail(new StoreConflict({ key: shown.key, actual: real?.revision ?? 0 })))
  }
  const stored = storedForm(base, object)
  write(real, stored, echo(stored, object, reply))
}

/** What a view's object is in the store; its metadata is its own, for the revision to be written into. */
export const storedForm = ({ view }: Base, object: KubeObject): KubeObject => {
  const stored = view.toStorage(object)
  return { ...stored, metadata: { ...stored.metadata } }
}

/** A write by way of a view has given the stored object its revision; the shown one has it too. */
export const echo =
  (stored: KubeObject, shown: KubeObject, reply: StoreReply): StoreReply =>
  (result) => {
    if (Result.isSuccess(result)) stamp(shown, Number(stored.metadata.resourceVersion))
    reply(result)
  }
