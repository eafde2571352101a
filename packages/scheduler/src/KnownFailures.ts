import type { PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Decision } from "./Decision.ts"

/**
 * Decisions for unschedulable pods, until the cache changes. After a large outage hundreds of replicas are unschedulable,
 * and each event requeues all of them: only the first of equal pods is then checked against the nodes, since the others
 * would get the same decision. Pods are equal if everything that filters may read is: that is their signature.
 */
export class KnownFailures {
  private readonly cache: SchedulingCache
  private readonly decisions = new Map<string, Decision>()
  private readonly signatures = new WeakMap<PodInfo, string>()
  /** The generation of the cache that the decisions belong to. */
  private generation = 0

  constructor(cache: SchedulingCache) {
    this.cache = cache
  }

  find(pod: PodInfo): Decision | undefined {
    this.clearIfOutdated()
    return this.decisions.size === 0 ? undefined : this.decisions.get(this.signatureOf(pod))
  }

  add(pod: PodInfo, decision: Decision): void {
    this.clearIfOutdated()
    this.decisions.set(this.signatureOf(pod), decision)
  }

  private clearIfOutdated(): void {
    if (this.generation === this.cache.generation) return
    this.generation = this.cache.generation
    this.decisions.clear()
  }

  private signatureOf(info: PodInfo): string {
    const known = this.signatures.get(info)
    if (known !== undefined) return known
    const { metadata, spec } = info.pod
    // The claims that are created for a pod are named after it, so no other pod is equal.
    const ownKey = (info.volumes?.ephemeralClaims.length ?? 0) > 0 ? info.key : ""
    const signature = JSON.stringify([info.podClass.key, spec, metadata.annotations, metadata.ownerReferences, ownKey])
    this.signatures.set(info, signature)
    return signature
  }
}
