/**
 * What to do as objects come, change and go. Called synchronously, in order, after the cache has changed. A call that throws is
 * handed to `handleError`; the other handlers, and this one's next calls, go on.
 * Upstream: client-go/tools/cache/shared_informer.go, processorListener.run.
 */
export interface InformerHandler<A> {
  readonly onAdd?: (object: A, isInInitialList: boolean) => void
  /** Not called for a relist that found the same resourceVersion. */
  readonly onUpdate?: (old: A, object: A) => void
  /** The last state known: that of the DELETED event, or the cached one when a relist no longer has the object. */
  readonly onDelete?: (last: A) => void
}
