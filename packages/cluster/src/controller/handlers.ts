import { getControllerOf, type KindName, type KubeObject, matchesLabelSelector, type ObjectOf } from "@rollcall/api"
import { type InformerHandler, ignoresHeartbeats } from "../InformerHandler.ts"
import { keyOf } from "../ObjectCache.ts"
import type { WorkQueue } from "../WorkQueue.ts"
import type { ControllerEntry, EventContext, Owned, Watched } from "./ControllerEntry.ts"

type Queue = Pick<WorkQueue<string>, "add" | "addAfter">
type Cache = EventContext<KindName>["cache"]

/** Makes a handler of one function for added, updated and deleted objects. */
const handlerOf = <K extends KindName>(
  cache: Cache,
  handle: (object: ObjectOf<K>, context: EventContext<K>) => void
): InformerHandler<ObjectOf<K>> => {
  const added: EventContext<K> = { before: undefined, isDeleted: false, cache }
  const deleted: EventContext<K> = { before: undefined, isDeleted: true, cache }
  return {
    onAdd: (object) => handle(object, added),
    onUpdate: (before, object) => handle(object, { before, isDeleted: false, cache }),
    onDelete: (object) => handle(object, deleted)
  }
}

/** Queues the keys of the kind that the controller reconciles. Upstream: controller-runtime's EnqueueRequestForObject. */
export const primaryHandler = <P extends KindName>(
  { delayMs, when }: Pick<ControllerEntry<P, unknown, unknown>, "when" | "delayMs">,
  queue: Queue,
  cache: Cache
): InformerHandler<ObjectOf<P>> =>
  handlerOf<P>(cache, (object, context) => {
    if (when === undefined || when(object, context)) queue.addAfter(keyOf(object), delayMs?.(object, context) ?? 0)
  })

/**
 * Queues the owners, of a kind, of the objects that the controller creates. Upstream: controller-runtime's
 * EnqueueRequestForOwner.
 */
export const ownedHandler = <P extends KindName>(
  kind: P,
  { adoptedBy }: Pick<Owned<P, KindName>, "adoptedBy">,
  queue: Queue,
  cache: Cache
): InformerHandler<KubeObject> => {
  const queueAdopters = ({ metadata }: KubeObject) => {
    if (adoptedBy === undefined || metadata.deletionTimestamp !== undefined) return
    for (const owner of cache(kind).list()) {
      const isSameNamespace = owner.metadata.namespace === metadata.namespace
      if (isSameNamespace && matchesLabelSelector(adoptedBy(owner), metadata.labels)) queue.add(keyOf(owner))
    }
  }
  const handle = (object: KubeObject) => {
    const owner = getControllerOf(object)
    if (owner === undefined) queueAdopters(object)
    else if (owner.kind === kind) queue.add(`${object.metadata.namespace}/${owner.name}`)
  }
  return {
    onAdd: handle,
    onUpdate: (before, object) => {
      if (getControllerOf(before)?.uid !== getControllerOf(object)?.uid) handle(before)
      handle(object)
    },
    onDelete: handle
  }
}

/** Queues the keys that another object maps to. Upstream: controller-runtime's EnqueueRequestsFromMapFunc. */
export const watchedHandler = <K extends KindName>(
  { concerns, ignoresHeartbeats: ignores }: Pick<Watched<K>, "concerns" | "ignoresHeartbeats">,
  queue: Queue,
  cache: Cache
): InformerHandler<ObjectOf<K>> | undefined =>
  concerns === undefined
    ? undefined
    : {
        ...(ignores === true ? ignoresHeartbeats : {}),
        ...handlerOf<K>(cache, (object, context) => {
          for (const key of concerns(object, context)) queue.add(key)
        })
      }
