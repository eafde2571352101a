import type { NodeInfo } from "./cache/CacheRecords.ts"
import type { NodeCheck, Rejection } from "./Plugin.ts"

/** The feasible and the rejected nodes among those that were checked before the search ended. */
export interface Filtered {
  readonly feasible: ReadonlyArray<NodeInfo>
  /** Rejected nodes and their reasons: two lists of the same length. They are made when they are read, before the cache changes. */
  readonly rejected: ReadonlyArray<NodeInfo>
  readonly rejections: ReadonlyArray<Rejection>
  /** How many nodes have each rejection. */
  readonly counts: ReadonlyMap<Rejection, number>
  /** Number of nodes that were checked. */
  readonly checked: number
  /** Number of nodes in the cluster. */
  readonly total: number
  /** The rejection of the pod before any node was checked; then all lists are empty. */
  readonly preFilter: Rejection | undefined
  /** The filters that restricted the nodes by name. */
  readonly restrictedBy: ReadonlyArray<string>
}

/** Counts equal values. Neighbours often are equal, and cost a comparison. */
const countEqual = (rejections: ReadonlyArray<Rejection>): ReadonlyMap<Rejection, number> => {
  const counts = new Map<Rejection, number>()
  let from = 0
  for (let at = 1; at <= rejections.length; at++) {
    const rejection = rejections[from] as Rejection
    if (rejections[at] === rejection) continue
    counts.set(rejection, (counts.get(rejection) ?? 0) + at - from)
    from = at
  }
  return counts
}

/** The nodes that a search checks, in order: from `offset` on, and after the last one from the first on. */
export interface SearchOrder {
  readonly nodes: ReadonlyArray<NodeInfo>
  readonly offset: number
}

/** What a search found. */
interface Found extends Pick<Filtered, "feasible" | "checked" | "total" | "restrictedBy"> {
  /** Undefined if the check gives them again at the cost of a look-up. */
  readonly rejections: ReadonlyArray<Rejection> | undefined
  /** Undefined if they have to be counted. */
  readonly counts?: ReadonlyMap<Rejection, number>
}

/** The result of a search over nodes. Most searches find feasible nodes, and then the rejected ones are not read. */
export class Search implements Filtered {
  readonly feasible: ReadonlyArray<NodeInfo>
  readonly checked: number
  readonly total: number
  readonly preFilter = undefined
  readonly restrictedBy: ReadonlyArray<string>
  private readonly order: SearchOrder
  private readonly check: NodeCheck
  private madeRejected: ReadonlyArray<NodeInfo> | undefined
  private madeRejections: ReadonlyArray<Rejection> | undefined
  private madeCounts: ReadonlyMap<Rejection, number> | undefined

  constructor(order: SearchOrder, check: NodeCheck, found: Found) {
    this.order = order
    this.check = check
    this.feasible = found.feasible
    this.checked = found.checked
    this.total = found.total
    this.restrictedBy = found.restrictedBy
    this.madeRejected = undefined
    this.madeRejections = found.rejections
    this.madeCounts = found.counts
  }

  get rejected(): ReadonlyArray<NodeInfo> {
    this.madeRejected ??= this.notFeasible()
    return this.madeRejected
  }

  get rejections(): ReadonlyArray<Rejection> {
    this.madeRejections ??= this.rejected.map((node) => this.check(node) as Rejection)
    return this.madeRejections
  }

  get counts(): ReadonlyMap<Rejection, number> {
    this.madeCounts ??= countEqual(this.rejections)
    return this.madeCounts
  }

  /** The feasible nodes are in the order of the search too. */
  private notFeasible(): ReadonlyArray<NodeInfo> {
    const { nodes, offset } = this.order
    const rejected: Array<NodeInfo> = []
    let feasible = 0
    for (let step = 0; step < this.checked; step++) {
      const node = nodes[(offset + step) % nodes.length] as NodeInfo
      if (node === this.feasible[feasible]) feasible++
      else rejected.push(node)
    }
    return rejected
  }
}
