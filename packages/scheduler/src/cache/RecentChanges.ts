import type { NodeInfo } from "./CacheRecords.ts"

/** More than change between two tries of a pod, few enough to walk. */
const KEPT = 1024

/** The nodes that changed last, each with the generation of the change. */
export class RecentChanges {
  private readonly nodes: Array<NodeInfo> = []
  private readonly generations = new Float64Array(KEPT)
  private noted = 0

  note(node: NodeInfo): void {
    const at = this.noted++ % KEPT
    this.nodes[at] = node
    this.generations[at] = node.generation
  }

  /** The nodes that changed after a generation, one of them as often as it did; undefined if those are no longer known. */
  since(generation: number): ReadonlyArray<NodeInfo> | undefined {
    const changed: Array<NodeInfo> = []
    for (let change = this.noted - 1; change >= 0; change--) {
      if (this.noted - change > KEPT) return undefined
      const at = change % KEPT
      if ((this.generations[at] as number) <= generation) break
      changed.push(this.nodes[at] as NodeInfo)
    }
    return changed
  }
}
