import type { NodeInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { NodeCheck, Rejection } from "./Plugin.ts"

/** A search in which every node was rejected. */
interface Failure {
  /** The list of all nodes, which is another one once a node is added, removed or moved. */
  readonly nodes: ReadonlyArray<NodeInfo>
  /** How many nodes have each rejection. */
  readonly counts: Map<Rejection, number>
  /** The generation of the cache up to which they count. */
  generation: number
}

const move = (counts: Map<Rejection, number>, from: Rejection, to: Rejection): void => {
  const left = (counts.get(from) ?? 0) - 1
  if (left > 0) counts.set(from, left)
  else counts.delete(from)
  counts.set(to, (counts.get(to) ?? 0) + 1)
}

/**
 * What the filters found of each node for the pods of one template, until the node changes. A pod that fits nowhere is tried again after each
 * event: then only the nodes that have changed since are checked.
 */
export class TemplateResults {
  /** One check gives one value for all nodes that it rejects alike, which costs less to count. */
  private readonly fresh: NodeCheck
  /** The generations of the nodes that were checked, by their position; no node has 0. */
  private readonly generations: Float64Array
  private readonly rejections: Array<Rejection | undefined>
  private failure: Failure | undefined = undefined

  constructor(check: NodeCheck, nodeCount: number) {
    this.fresh = check
    this.generations = new Float64Array(nodeCount)
    this.rejections = new Array(nodeCount).fill(undefined)
  }

  readonly check: NodeCheck = (node) => {
    const { generation, position } = node
    if (this.generations[position] === generation) return this.rejections[position]
    const rejection = this.fresh(node)
    if (this.failure !== undefined) this.recount(this.failure, this.rejections[position], rejection)
    this.generations[position] = generation
    this.rejections[position] = rejection
    return rejection
  }

  /** Remembers that all nodes were rejected. */
  failed(cache: SchedulingCache, counts: ReadonlyMap<Rejection, number>): void {
    this.failure = { nodes: cache.nodes(), counts: new Map(counts), generation: cache.generation }
  }

  /** The number of nodes with each rejection, if the last search rejected all and no node has become feasible since. */
  failures(cache: SchedulingCache): ReadonlyMap<Rejection, number> | undefined {
    const { failure } = this
    const changed = failure?.nodes === cache.nodes() ? cache.changes.since(failure.generation) : undefined
    if (failure === undefined || changed === undefined) {
      this.failure = undefined
      return undefined
    }
    // Pods may be assigned to a node that is unknown: it has no position.
    for (const node of changed) if (node.position >= 0) this.check(node)
    failure.generation = cache.generation
    return this.failure?.counts
  }

  private recount({ counts }: Failure, before: Rejection | undefined, after: Rejection | undefined): void {
    if (before === undefined || after === undefined) this.failure = undefined
    else if (before !== after) move(counts, before, after)
  }
}
