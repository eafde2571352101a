import type { Pod } from "@rollcall/api"
import type { PodInfo } from "./cache/CacheRecords.ts"
import { podKey } from "./cache/PodInfo.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"

/** Pods that count on a node already though their binding has not been seen yet. Upstream: backend/cache AssumePod, ForgetPod. */
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

  /** The pod has been seen on a node, or has ended there: what is known of it now is no assumption. */
  confirm(key: string): void {
    this.keys.delete(key)
  }

  /** The pod will not be there after all; says on which node it was thought to be, undefined if it was not assumed. */
  takeBack(pod: Pod): string | undefined {
    const key = podKey(pod)
    const node = this.cache.placement(pod)?.node.name
    return this.keys.delete(key) && this.cache.remove(key) ? node : undefined
  }
}
