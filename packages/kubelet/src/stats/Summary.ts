/**
 * The response of a kubelet's `/stats/summary`, with the fields for which there are figures, in upstream's order.
 * Times are RFC 3339; sizes are bytes. Upstream: staging/src/k8s.io/kubelet/pkg/apis/stats/v1alpha1/types.go.
 */
export interface Summary {
  readonly node: NodeStats
  readonly pods: ReadonlyArray<PodStats>
}

export interface NodeStats {
  readonly nodeName: string
  /** When the machine was booted. */
  readonly startTime: string
  readonly cpu?: CPUStats
  readonly memory?: MemoryStats
  readonly fs?: FsStats
  readonly runtime?: { readonly imageFs?: FsStats; readonly containerFs?: FsStats }
  readonly rlimit?: RlimitStats
  readonly swap?: SwapStats
}

export interface PodStats {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string }
  readonly startTime: string
  readonly containers: ReadonlyArray<ContainerStats>
  readonly cpu?: CPUStats
  readonly memory?: MemoryStats
  readonly volume?: ReadonlyArray<VolumeStats>
  readonly "ephemeral-storage"?: FsStats
  readonly process_stats?: { readonly process_count: number }
  readonly swap?: SwapStats
}

export interface ContainerStats {
  readonly name: string
  readonly startTime: string
  readonly cpu?: CPUStats
  readonly memory?: MemoryStats
  readonly rootfs?: FsStats
  readonly logs?: FsStats
  readonly swap?: SwapStats
}

export interface CPUStats {
  readonly time: string
  readonly usageNanoCores: number
  /** The processor time since the start. */
  readonly usageCoreNanoSeconds: number
}

export interface MemoryStats {
  readonly time: string
  /** The limit less the working set; absent without a limit. */
  readonly availableBytes?: number
  /** The working set and what could be reclaimed, which modelled containers do not have. */
  readonly usageBytes?: number
  readonly workingSetBytes: number
  readonly rssBytes?: number
}

export interface SwapStats {
  readonly time: string
  /** The limit less the usage; absent without a limit. */
  readonly swapAvailableBytes?: number
  readonly swapUsageBytes?: number
}

export interface FsStats {
  readonly time: string
  readonly availableBytes?: number
  readonly capacityBytes?: number
  readonly usedBytes?: number
  readonly inodesFree?: number
  readonly inodes?: number
  readonly inodesUsed?: number
}

export interface VolumeStats extends FsStats {
  readonly name: string
  readonly pvcRef?: { readonly name: string; readonly namespace: string }
}

export interface RlimitStats {
  readonly time: string
  readonly maxpid: number
  readonly curproc: number
}

/** The response for `?only_cpu_and_memory=true`. Upstream: pkg/kubelet/server/stats/summary.go GetCPUAndMemoryStats. */
export const cpuAndMemoryOf = ({ node, pods }: Summary): Summary => ({
  node: { nodeName: node.nodeName, startTime: node.startTime, ...memoryAndSwapOf(node) },
  pods: pods.map((pod) => ({
    podRef: pod.podRef,
    startTime: pod.startTime,
    containers: pod.containers.map((container) => ({
      name: container.name,
      startTime: container.startTime,
      ...memoryAndSwapOf(container)
    })),
    ...memoryAndSwapOf(pod)
  }))
})

const memoryAndSwapOf = ({ cpu, memory, swap }: Pick<ContainerStats, "cpu" | "memory" | "swap">) => ({
  ...(cpu === undefined ? {} : { cpu }),
  ...(memory === undefined ? {} : { memory }),
  ...(swap === undefined ? {} : { swap })
})
