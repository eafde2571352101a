import type { KubeObject } from "@rollcall/api"
import type { HandleError, TimersShape } from "@rollcall/time"
import type { Registry } from "../registry/Registry.ts"
import type { ObjectObserver } from "../watch/KindCache.ts"

/** What authentication and authorization know of the cluster: the newest state of the server's caches, without copying. */
export interface SecuritySource {
  /** The namespace is "" for cluster-scoped kinds; of a kind that is not served there is nothing. */
  readonly get: (kind: string, namespace: string, name: string) => KubeObject | undefined
  /** In key order; absent namespace: all. */
  readonly list: (kind: string, namespace?: string) => ReadonlyArray<KubeObject>
  /** Tells of every change to objects of a kind, before anybody else can see it. */
  readonly observe: (kind: string, observer: ObjectObserver) => void
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Takes what one object throws: it counts for nothing, and all others count. */
  readonly handleError: HandleError
}

export const sourceOf = (registry: Registry, timers: TimersShape): SecuritySource => ({
  get: (kind, namespace, name) => registry.kind(kind)?.cache.get(namespace, name)?.object,
  list: (kind, namespace) => {
    const found: Array<KubeObject> = []
    registry.kind(kind)?.cache.visit(namespace, (object) => found.push(object))
    return found
  },
  observe: (kind, observer) => registry.kind(kind)?.cache.observe(observer),
  now: timers.now,
  handleError: timers.handleError
})
