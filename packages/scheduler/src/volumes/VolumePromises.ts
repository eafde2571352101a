import type { PersistentVolume, PersistentVolumeClaim } from "@rollcall/api"
import { claimKeyOf } from "./claimFacts.ts"

/** What a pod needs done about its claims before it can be bound. */
export interface VolumePlan {
  /** Volumes that there are, and the claims that they are for. */
  readonly bindings: ReadonlyArray<{ readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }>
  /** Claims whose volumes have to be made. */
  readonly provisions: ReadonlyArray<PersistentVolumeClaim>
}

interface Promised {
  readonly node: string
  readonly plan: VolumePlan
}

/** What a claim was promised, and the pods that count on it. */
interface ClaimPromise {
  /** Undefined: its volume is to be made. */
  readonly volume: string | undefined
  readonly node: string
  readonly pods: Set<string>
}

/**
 * Volumes that were given to claims, and nodes that were chosen for claims whose volumes have to be made, from the moment a pod
 * has its node until its claims are bound or it does not get there. Pods that share a claim share what it was promised.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding/passive_assume_cache.go.
 */
export class VolumePromises {
  private readonly byPod = new Map<string, Promised>()
  private readonly byClaim = new Map<string, ClaimPromise>()
  /** The claim that a volume was promised to. */
  private readonly byVolume = new Map<string, string>()

  /** How many pods were promised something. */
  get size(): number {
    return this.byPod.size
  }

  /** True when nothing is promised to anybody. */
  get isEmpty(): boolean {
    return this.byPod.size === 0 && this.byClaim.size === 0 && this.byVolume.size === 0
  }

  of(pod: string): Promised | undefined {
    return this.byPod.get(pod)
  }

  /** The claim that was promised the volume. */
  claimOf(volume: string): string | undefined {
    return this.byVolume.get(volume)
  }

  /** The volume that a claim was promised. */
  volumeOf(claim: string): string | undefined {
    return this.byClaim.get(claim)?.volume
  }

  /** The node that a claim's volume is to be made for. */
  nodeOf(claim: string): string | undefined {
    const promise = this.byClaim.get(claim)
    return promise === undefined || promise.volume !== undefined ? undefined : promise.node
  }

  promise(pod: string, node: string, plan: VolumePlan): void {
    this.forget(pod)
    this.byPod.set(pod, { node, plan })
    for (const { claim, volume } of plan.bindings) this.share(pod, claimKeyOf(claim), node, volume.metadata.name ?? "")
    for (const claim of plan.provisions) this.share(pod, claimKeyOf(claim), node, undefined)
  }

  /** Takes back what a pod was promised, unless another pod counts on it too; false if it was promised nothing. */
  forget(pod: string): boolean {
    const promised = this.byPod.get(pod)
    if (promised === undefined) return false
    this.byPod.delete(pod)
    const { bindings, provisions } = promised.plan
    for (const { claim } of bindings) this.leave(pod, claimKeyOf(claim))
    for (const claim of provisions) this.leave(pod, claimKeyOf(claim))
    return true
  }

  private share(pod: string, claim: string, node: string, volume: string | undefined): void {
    const known = this.byClaim.get(claim)
    if (known !== undefined) {
      known.pods.add(pod)
      return
    }
    this.byClaim.set(claim, { volume, node, pods: new Set([pod]) })
    if (volume !== undefined) this.byVolume.set(volume, claim)
  }

  private leave(pod: string, claim: string): void {
    const promise = this.byClaim.get(claim)
    if (promise?.pods.delete(pod) !== true || promise.pods.size > 0) return
    this.byClaim.delete(claim)
    if (promise.volume !== undefined) this.byVolume.delete(promise.volume)
  }
}
