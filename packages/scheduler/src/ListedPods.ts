import type { Pod } from "@rollcall/api"
import { keyOf } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"

/**
 * The pods on nodes of the first list, until the cache must have them: a scheduler that has nothing to schedule reads none
 * of them.
 */
export class ListedPods {
  private readonly cache: SchedulingCache
  private readonly timers: Pick<TimersShape, "handleError">
  private pods: Array<Pod> = []

  constructor(cache: SchedulingCache, timers: Pick<TimersShape, "handleError">) {
    this.cache = cache
    this.timers = timers
  }

  add(pod: Pod): void {
    this.pods.push(pod)
  }

  /** Places them all. An invalid pod is reported, as by the informer that listed it. */
  place(): void {
    if (this.pods.length === 0) return
    const { cache, pods, timers } = this
    this.pods = []
    const described = new Map<unknown, PodInfo>()
    for (const pod of pods) {
      try {
        const like = described.get(pod.spec.containers)
        if (like !== undefined && cache.placeLike(pod, like)) continue
        const info = cache.describe(pod)
        cache.place(info, pod.spec.nodeName ?? "")
        described.set(pod.spec.containers, info)
      } catch (error) {
        timers.handleError("informer handler", error, { kind: "Pod", object: keyOf(pod) })
      }
    }
  }
}
