import type { PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Decision } from "./Decision.ts"

/**
 * Unschedulable pods by everything that filters may read, until anything changes. After a large outage hundreds of
 * replicas are unschedulable, and each event requeues all of them: then only the first of equal pods is checked
 * against the nodes. Checking the others would give the same result.
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
    // Claims created for a pod belong to it alone, under its own name.
    const own = (info.volumes?.ephemeralClaims.length ?? 0) > 0 ? info.key : ""
    const shape = JSON.stringify([info.podClass.key, spec, metadata.annotations, metadata.ownerReferences, own])
    this.shapes.set(info, shape)
    return shape
  }
}
