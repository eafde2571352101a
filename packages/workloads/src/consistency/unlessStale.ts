import type { Work } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import type { ConsistencyStore, StaleCache } from "./ConsistencyStore.ts"

type OnSkip = (stale: StaleCache) => void

/** Skips the sync of an object whose writes the caches have not seen: its key is queued again with back-off. */
export const unlessStale =
  <E>(store: ConsistencyStore, onSkip: OnSkip, work: Work<E>): Work<E | StaleCache> =>
  (key, done, failed) => {
    const stale = store.staleCacheOf(key)
    if (stale === undefined) {
      work(key, done, failed)
      return
    }
    onSkip(stale)
    done(stale)
  }

/** As `unlessStale`, for a sync that is an Effect. */
export const syncUnlessStale =
  <E, R>(store: ConsistencyStore, onSkip: OnSkip, sync: (key: string) => Effect.Effect<void, E, R>) =>
  (key: string): Effect.Effect<void, E | StaleCache, R> =>
    Effect.suspend((): Effect.Effect<void, E | StaleCache, R> => {
      const stale = store.staleCacheOf(key)
      if (stale === undefined) return sync(key)
      onSkip(stale)
      return Effect.fail(stale)
    })
