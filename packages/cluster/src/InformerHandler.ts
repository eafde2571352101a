import type { HeartbeatColumns } from "./heartbeats/HeartbeatColumns.ts"

/**
 * Callbacks for objects that are added, updated and deleted. They are called synchronously, in order, after the cache
 * has changed. An error that one throws is handed to `handleError`; the other handlers, and later calls of this one,
 * continue. Upstream: client-go/tools/cache/shared_informer.go, processorListener.run.
 */
export interface InformerHandler<A> {
  /**
   * Only for Leases and Nodes: receives the columns that have their heartbeats, and undefined when it must not use them
   * any more. A handler with this function, or without `onUpdate`, gets an update that brings only a heartbeat late, and
   * only when the object is made; any other handler gets every update.
   */
  readonly onHeartbeats?: (columns: HeartbeatColumns | undefined) => void
  readonly onAdd?: (object: A, isInInitialList: boolean) => void
  /** Not called when a relist finds the same resourceVersion. */
  readonly onUpdate?: (old: A, object: A) => void
  /**
   * Receives the last known state: that of the DELETED event, or the cached one when a relist no longer has the object.
   */
  readonly onDelete?: (last: A) => void
}

/** The part of a handler for which updates that bring only heartbeats change nothing. */
export const ignoresHeartbeats: Pick<InformerHandler<never>, "onHeartbeats"> = { onHeartbeats: () => {} }
