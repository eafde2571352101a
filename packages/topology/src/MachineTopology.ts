/** A logical CPU and its place. Ids need not be contiguous. */
export interface LogicalCpu {
  readonly id: number
  /** The id of its core: the lowest CPU id among the core's threads. */
  readonly core: number
  readonly socket: number
  readonly numaNode: number
  readonly uncoreCache: number
}

/** A NUMA node: processors with memory that is near them. */
export interface NumaNode {
  readonly id: number
  /** The memory in bytes. */
  readonly memory: number
  readonly hugePages: ReadonlyArray<{ readonly pageSizeKiB: number; readonly count: number }>
  /**
   * The distances to each node of the machine, in the order of their ids; absent if the machine does not report them.
   */
  readonly distances?: ReadonlyArray<number>
}

/** The processors and memory of a machine, as its kernel reports them. */
export interface MachineTopology {
  readonly cpus: ReadonlyArray<LogicalCpu>
  readonly numaNodes: ReadonlyArray<NumaNode>
}
