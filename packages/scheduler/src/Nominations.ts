import type { PodInfo } from "./cache/CacheRecords.ts"

const noPods: ReadonlyArray<PodInfo> = []

/**
 * Nominated nodes: where a pod is expected to run once the pods that were preempted for it are gone. Pods are identified
 * by `podKey`.
 * Upstream: pkg/scheduler/backend/queue/nominator.go.
 */
export class Nominations {
  private readonly nodeByPod = new Map<string, string>()
  private readonly byNode = new Map<string, ReadonlyArray<PodInfo>>()

  get isEmpty(): boolean {
    return this.nodeByPod.size === 0
  }

  podsOn(nodeName: string): ReadonlyArray<PodInfo> {
    return this.byNode.get(nodeName) ?? noPods
  }

  nodeOf(key: string): string | undefined {
    return this.nodeByPod.get(key)
  }

  /** Nominates a node for a pod; replaces an earlier nomination of the pod. */
  nominate(info: PodInfo, nodeName: string): void {
    this.withdraw(info.key)
    this.nodeByPod.set(info.key, nodeName)
    this.byNode.set(nodeName, [...this.podsOn(nodeName), info])
  }

  withdraw(key: string): void {
    const nodeName = this.nodeByPod.get(key)
    if (nodeName === undefined) return
    this.nodeByPod.delete(key)
    const left = this.podsOn(nodeName).filter((info) => info.key !== key)
    if (left.length === 0) this.byNode.delete(nodeName)
    else this.byNode.set(nodeName, left)
  }
}
