import { getControllerOf, type KindName, type KubeObject, matchesLabelSelector, type ObjectOf } from "@rollcall/api"
import type { InformerHandler } from "../InformerHandler.ts"
import { keyOf } from "../ObjectCache.ts"
import type { WorkQueue } from "../WorkQueue.ts"
import type { ControllerEntry, Owned, Told, Watched } from "./ControllerEntry.ts"

type Queue = Pick<WorkQueue<string>, "add" | "addAfter">
type Cache = Told<KindName>["cache"]

/** One function for all that happens to an object. */
const telling = <K extends KindName>(
  cache: Cache,
  tell: (object: ObjectOf<K>, told: Told<K>) => void
): InformerHandler<ObjectOf<K>> => {
  const came: Told<K> = { before: undefined, isGone: false, cache }
  const went: Told<K> = { before: undefined, isGone: true, cache }
  return {
    onAdd: (object) => tell(object, came),
    onUpdate: (before, object) => tell(object, { before, isGone: false, cache }),
    onDelete: (object) => tell(object, went)
  }
}

/** Queues the keys of what the controller is for. */
export const primaryHandler = <P extends KindName>(
  { delayMs, when }: Pick<ControllerEntry<P, unknown, unknown>, "when" | "delayMs">,
  queue: Queue,
  cache: Cache
): InformerHandler<ObjectOf<P>> =>
  telling<P>(cache, (object, told) => {
    if (when === undefined || when(object, told)) queue.addAfter(keyOf(object), delayMs?.(object, told) ?? 0)
  })

/** Queues the owners, of a kind, of what the controller makes. */
export const ownedHandler = <P extends KindName>(
  kind: P,
  { adoptedBy }: Pick<Owned<P, KindName>, "adoptedBy">,
  queue: Queue,
  cache: Cache
): InformerHandler<KubeObject> => {
  const offer = ({ metadata }: KubeObject) => {
    if (adoptedBy === undefined || metadata.deletionTimestamp !== undefined) return
    for (const owner of cache(kind).list()) {
      const isNear = owner.metadata.namespace === metadata.namespace
      if (isNear && matchesLabelSelector(adoptedBy(owner), metadata.labels)) queue.add(keyOf(owner))
    }
  }
  const tell = (object: KubeObject) => {
    const owner = getControllerOf(object)
    if (owner === undefined) offer(object)
    else if (owner.kind === kind) queue.add(`${object.metadata.namespace}/${owner.name}`)
  }
  return {
    onAdd: tell,
    onUpdate: (before, object) => {
      if (getControllerOf(before)?.uid !== getControllerOf(object)?.uid) tell(before)
      tell(object)
    },
    onDelete: tell
  }
}

/** Queues the keys that another object concerns. */
export const watchedHandler = <K extends KindName>(
  { concerns }: Pick<Watched<K>, "concerns">,
  queue: Queue,
  cache: Cache
): InformerHandler<ObjectOf<K>> | undefined =>
  concerns === undefined
    ? undefined
    : telling<K>(cache, (object, told) => {
        for (const key of concerns(object, told)) queue.add(key)
      })
