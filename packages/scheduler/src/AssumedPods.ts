import type { Pod } from "@rollcall/api"
import type { PodInfo } from "./cache/CacheRecords.ts"
import { podKey } from "./cache/PodInfo.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"

/**
 * Pods that the cache counts on a node before a watch event shows their binding. Pods are identified by `podKey`.
 * Upstream: pkg/scheduler/backend/cache AssumePod, ForgetPod.
 */
export class AssumedPods {
  private readonly keys = new Set<string>()
  private readonly cache: SchedulingCache

  constructor(cache: SchedulingCache) {
    this.cache = cache
  }

  get size(): number {
    return this.keys.size
  }

  has(key: string): boolean {
    return this.keys.has(key)
  }

  assume(info: PodInfo, nodeName: string): void {
    this.cache.place(info, nodeName)
    this.keys.add(info.key)
  }

  /** Must be called when the pod has been observed on a node, or has terminated there: it is no longer assumed. */
  confirm(key: string): void {
    this.keys.delete(key)
  }

  /** Removes an assumed pod from the cache. Returns its assumed node; undefined if it was not assumed. */
  unassume(pod: Pod): string | undefined {
    const key = podKey(pod)
    const node = this.cache.placement(pod)?.node.name
    return this.keys.delete(key) && this.cache.remove(key) ? node : undefined
  }
}
