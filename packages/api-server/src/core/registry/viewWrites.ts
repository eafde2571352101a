import type { KubeObject } from "@rollcall/api"
import { StoreConflict, type StoreFailure } from "@rollcall/store"
import type { Cached } from "../watch/KindCache.ts"
import type { Base } from "./KindState.ts"
import { stamp } from "./stamp.ts"

export type StoreRefusal = StoreConflict | StoreFailure
/** Undefined: it is done, and the object bears its revision. */
export type WriteReply = (refusal: StoreRefusal | undefined) => void

/** A write to what a view shows, made to what its base has: still at the revision that was shown. */
export const throughView = (
  base: Base,
  shown: Cached,
  object: KubeObject,
  reply: WriteReply,
  write: (real: Cached, stored: KubeObject, done: WriteReply) => void
) => {
  const real = base.state.cache.get(shown.namespace, shown.name)
  if (real === undefined || real.revision !== shown.revision) {
    return reply(new StoreConflict({ key: shown.key, actual: real?.revision ?? 0 }))
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
  (stored: KubeObject, shown: KubeObject, reply: WriteReply): WriteReply =>
  (refusal) => {
    if (refusal === undefined) stamp(shown, Number(stored.metadata.resourceVersion))
    reply(refusal)
  }
