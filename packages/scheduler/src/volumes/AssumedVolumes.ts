import type { PersistentVolume, PersistentVolumeClaim } from "@rollcall/api"
import { claimKeyOf } from "./claimFacts.ts"

/**
 * What has to be done for a pod's claims before the pod can be bound. Upstream:
 * pkg/scheduler/framework/plugins/volumebinding/binder.go PodVolumes (StaticBindings, DynamicProvisions).
 */
export interface VolumePlan {
  /** Claims to bind to existing volumes. */
  readonly bindings: ReadonlyArray<{ readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }>
  /** Claims whose volumes have to be provisioned. */
  readonly provisions: ReadonlyArray<PersistentVolumeClaim>
}

interface PodAssumption {
  readonly node: string
  readonly plan: VolumePlan
}

/** The assumption for a claim, and the pods that rely on it. */
interface ClaimAssumption {
  /** The name of the assumed volume; undefined if a volume is to be provisioned. */
  readonly volume: string | undefined
  readonly node: string
  readonly pods: Set<string>
}

/**
 * Volumes assumed for claims, and nodes selected for claims whose volumes have to be provisioned, from the selection
 * of a pod's node until its claims are bound or its binding fails. Pods that share a claim share the assumption. Pods
 * are identified by `podKey`, claims by `claimKeyOf`, volumes and nodes by name.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding/passive_assume_cache.go.
 */
export class AssumedVolumes {
  private readonly byPod = new Map<string, PodAssumption>()
  private readonly byClaim = new Map<string, ClaimAssumption>()
  /** Volume → the claim that it is assumed for. */
  private readonly byVolume = new Map<string, string>()

  /** Number of pods with assumptions. */
  get size(): number {
    return this.byPod.size
  }

  /** Whether there is no assumption for any pod, claim or volume. */
  get isEmpty(): boolean {
    return this.byPod.size === 0 && this.byClaim.size === 0 && this.byVolume.size === 0
  }

  of(pod: string): PodAssumption | undefined {
    return this.byPod.get(pod)
  }

  /** The claim that the volume is assumed for. */
  claimOf(volume: string): string | undefined {
    return this.byVolume.get(volume)
  }

  /** The volume that is assumed for a claim. */
  volumeOf(claim: string): string | undefined {
    return this.byClaim.get(claim)?.volume
  }

  /** The node for which a claim's volume is to be provisioned. */
  nodeOf(claim: string): string | undefined {
    const assumption = this.byClaim.get(claim)
    return assumption === undefined || assumption.volume !== undefined ? undefined : assumption.node
  }

  assume(pod: string, node: string, plan: VolumePlan): void {
    this.forget(pod)
    this.byPod.set(pod, { node, plan })
    for (const { claim, volume } of plan.bindings) this.addUse(pod, claimKeyOf(claim), node, volume.metadata.name ?? "")
    for (const claim of plan.provisions) this.addUse(pod, claimKeyOf(claim), node, undefined)
  }

  /** Drops a pod's assumptions, unless another pod relies on them too. Returns false if the pod had none. */
  forget(pod: string): boolean {
    const assumption = this.byPod.get(pod)
    if (assumption === undefined) return false
    this.byPod.delete(pod)
    const { bindings, provisions } = assumption.plan
    for (const { claim } of bindings) this.removeUse(pod, claimKeyOf(claim))
    for (const claim of provisions) this.removeUse(pod, claimKeyOf(claim))
    return true
  }

  private addUse(pod: string, claim: string, node: string, volume: string | undefined): void {
    const existing = this.byClaim.get(claim)
    if (existing !== undefined) {
      existing.pods.add(pod)
      return
    }
    this.byClaim.set(claim, { volume, node, pods: new Set([pod]) })
    if (volume !== undefined) this.byVolume.set(volume, claim)
  }

  private removeUse(pod: string, claim: string): void {
    const assumption = this.byClaim.get(claim)
    if (assumption?.pods.delete(pod) !== true || assumption.pods.size > 0) return
    this.byClaim.delete(claim)
    if (assumption.volume !== undefined) this.byVolume.delete(assumption.volume)
  }
}
