import type { Pod } from "@rollcall/api"
import { keyOf } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
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
    for (const pod of pods) {
      try {
        cache.place(cache.describe(pod), pod.spec.nodeName ?? "")
      } catch (error) {
        timers.handleError("informer handler", error, { kind: "Pod", object: keyOf(pod) })
      }
    }
  }
}
