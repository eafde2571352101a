import type { Distribution } from "@rollcall/time"

/** What happened to the objects of a kind since the server started. Plain numbers, which `/metrics` reads. */
export class KindCounts {
  /** Changes that the cache received, and those that were offered to watches. */
  received = 0
  dispatched = 0
  /** Events with which watches began. */
  initEvents = 0
  /** Lists from the cache, and their objects. */
  cacheLists = 0
  cacheFetched = 0
  cacheReturned = 0
  consistentReads = 0
  /** Lists from the store, and their objects. */
  storeLists = 0
  storeFetched = 0
  storeReturned = 0
  /** How long reads waited for a revision, in seconds; undefined in a server that measures nothing. */
  readWait: Distribution | undefined
}
