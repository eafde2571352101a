import { goTypeOf, type InformerFollower } from "@rollcall/cluster"

/** The informers of a program. */
export interface InformerSync {
  readonly follow: InformerFollower
  /** Returns a problem that names the informers that have not synced yet; undefined if all have. */
  readonly unsynced: () => string | undefined
}

/** Follows the informers of a program. Upstream: apiserver/pkg/server/healthz, NewInformerSyncHealthz. */
export const makeInformerSync = (): InformerSync => {
  const informers = new Set<Parameters<InformerFollower>[0]>()
  return {
    follow: (informer) => {
      informers.add(informer)
      return () => void informers.delete(informer)
    },
    unsynced: () => {
      const unsynced = [...informers].filter((informer) => !informer.hasSynced())
      // Several controllers have an informer of one type: each type is named once.
      const missing = [...new Set(unsynced.map(({ kind }) => goTypeOf(kind)))]
      return missing.length === 0 ? undefined : `${missing.length} informers not started yet: [${missing.join(" ")}]`
    }
  }
}
