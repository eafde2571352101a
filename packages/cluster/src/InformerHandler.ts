import type { RenewalColumns } from "./renewals/RenewalColumns.ts"

/**
 * Callbacks for objects that are added, updated and deleted. They are called synchronously, in order, after the cache
 * has changed. An error that one throws is handed to `handleError`; the other handlers, and later calls of this one,
 * continue. Upstream: client-go/tools/cache/shared_informer.go, processorListener.run.
 */
export interface InformerHandler<A> {
  /**
   * Only for Leases: receives the columns that have their renewals, and undefined when it must not use them any more. A
   * handler with this function gets an update only when a Lease is made of them; without it, it gets every update.
   */
  readonly onRenewals?: (columns: RenewalColumns | undefined) => void
  readonly onAdd?: (object: A, isInInitialList: boolean) => void
  /** Not called when a relist finds the same resourceVersion. */
  readonly onUpdate?: (old: A, object: A) => void
  /**
   * Receives the last known state: that of the DELETED event, or the cached one when a relist no longer has the object.
   */
  readonly onDelete?: (last: A) => void
}
