import type { PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Decision } from "./Decision.ts"

/**
 * Pods that found no node, by all that filters may look at, until anything changes. After a large outage hundreds of replicas
 * wait for room, and each event lets all of them try again: then only the first of each kind looks at the nodes. The others
 * would look at every node too, and find the same.
 */
export class KnownFailures {
  private readonly cache: SchedulingCache
  private readonly decisions = new Map<string, Decision>()
  private readonly shapes = new WeakMap<PodInfo, string>()
  private generation = 0

  constructor(cache: SchedulingCache) {
    this.cache = cache
  }

  find(pod: PodInfo): Decision | undefined {
    this.refresh()
    return this.decisions.size === 0 ? undefined : this.decisions.get(this.shapeOf(pod))
  }

  add(pod: PodInfo, decision: Decision): void {
    this.refresh()
    this.decisions.set(this.shapeOf(pod), decision)
  }

  private refresh(): void {
    if (this.generation === this.cache.generation) return
    this.generation = this.cache.generation
    this.decisions.clear()
  }

  private shapeOf(info: PodInfo): string {
    const known = this.shapes.get(info)
    if (known !== undefined) return known
    const { metadata, spec } = info.pod
    // Claims that are made for a pod are its own, under its own name.
    const own = (info.volumes?.ephemeralClaims.length ?? 0) > 0 ? info.key : ""
    const shape = JSON.stringify([info.podClass.key, spec, metadata.annotations, metadata.ownerReferences, own])
    this.shapes.set(info, shape)
    return shape
  }
}
