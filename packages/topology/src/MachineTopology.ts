/** A logical CPU and its place. Ids need not be contiguous. */
export interface LogicalCpu {
  readonly id: number
  /** The lowest CPU id among the threads of its core. */
  readonly core: number
  readonly socket: number
  readonly numaNode: number
  readonly uncoreCache: number
}

export interface NumaNode {
  readonly id: number
  /** Bytes. */
  readonly memory: number
  readonly hugePages: ReadonlyArray<{ readonly pageSizeKiB: number; readonly count: number }>
  /** To each node of the machine, in the order of their ids; absent: the machine does not report them. */
  readonly distances?: ReadonlyArray<number>
}

/** The processors and memory of a machine, as its kernel reports them. */
export interface MachineTopology {
  readonly cpus: ReadonlyArray<LogicalCpu>
  readonly numaNodes: ReadonlyArray<NumaNode>
}
