import type { PodInfo } from "./cache/CacheRecords.ts"

const none: ReadonlyArray<PodInfo> = []

/**
 * Pods with a nominated node, where other pods are being preempted.
 * Upstream: pkg/scheduler/backend/queue/nominator.go.
 */
export class Nominations {
  private readonly nodeOf = new Map<string, string>()
  private readonly byNode = new Map<string, ReadonlyArray<PodInfo>>()

  get isEmpty(): boolean {
    return this.nodeOf.size === 0
  }

  on(nodeName: string): ReadonlyArray<PodInfo> {
    return this.byNode.get(nodeName) ?? none
  }

  of(key: string): string | undefined {
    return this.nodeOf.get(key)
  }

  /** Replaces an earlier nomination of the pod. */
  nominate(info: PodInfo, nodeName: string): void {
    this.withdraw(info.key)
    this.nodeOf.set(info.key, nodeName)
    this.byNode.set(nodeName, [...this.on(nodeName), info])
  }

  withdraw(key: string): void {
    const nodeName = this.nodeOf.get(key)
    if (nodeName === undefined) return
    this.nodeOf.delete(key)
    const left = this.on(nodeName).filter((info) => info.key !== key)
    if (left.length === 0) this.byNode.delete(nodeName)
    else this.byNode.set(nodeName, left)
  }
}
