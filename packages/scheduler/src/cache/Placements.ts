import type { Pod } from "@rollcall/api"
import type { NodeInfo, PodInfo } from "./CacheRecords.ts"

/** A pod on a node, assigned or assumed. */
export interface Placement {
  readonly info: PodInfo
  readonly node: NodeInfo
}

/**
 * The pods on nodes by key, and their number by priority. A pod of a first list may be counted only: it is described when it, or
 * another pod of its node, is read. Most pods only run, and no node's pods are read but by preemption.
 */
export class Placements {
  private readonly byKey = new Map<string, Placement>()
  private readonly byPriority = new Map<number, number>()
  private undescribed = 0
  private readonly describe: (pod: Pod) => PodInfo

  constructor(describe: (pod: Pod) => PodInfo) {
    this.describe = describe
  }

  get size(): number {
    return this.byKey.size + this.undescribed
  }

  /** The placement of a pod; undefined if it is on no node, or on one whose pods were not described. */
  get(key: string): Placement | undefined {
    return this.byKey.get(key)
  }

  add(info: PodInfo, node: NodeInfo): void {
    this.byKey.set(info.key, { info, node })
    node.addPod(info)
    this.count(info.priority, 1)
  }

  /** Counts a pod that is described as another one, but for what only it has. */
  addLike(pod: Pod, like: PodInfo, node: NodeInfo): void {
    this.undescribed++
    node.addUndescribed(pod, like, this.describeAll)
    this.count(like.priority, 1)
  }

  remove({ info, node }: Placement): void {
    this.byKey.delete(info.key)
    node.removePod(info)
    this.count(info.priority, -1)
  }

  hasPriorityBelow(priority: number): boolean {
    return [...this.byPriority.keys()].some((other) => other < priority)
  }

  private readonly describeAll = (pods: ReadonlyArray<Pod>, node: NodeInfo): void => {
    this.undescribed -= pods.length
    for (const pod of pods) {
      const info = this.describe(pod)
      this.byKey.set(info.key, { info, node })
      node.addDescribed(info)
    }
  }

  private count(priority: number, change: 1 | -1): void {
    const count = (this.byPriority.get(priority) ?? 0) + change
    if (count > 0) this.byPriority.set(priority, count)
    else this.byPriority.delete(priority)
  }
}
