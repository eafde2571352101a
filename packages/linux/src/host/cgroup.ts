import { parseKeyValues } from "./parse/keyValues.ts"
import { parseMemoryInfo } from "./parse/memoryInfo.ts"
import type { System } from "./System.ts"

export type CgroupVersion = 1 | 2

/** CGROUP2_SUPER_MAGIC of linux/magic.h. */
const CGROUP2_MAGIC = 0x63677270

/**
 * The cgroup version in use: 2 only when nothing else is mounted there. Upstream: opencontainers/cgroups
 * IsCgroup2UnifiedMode.
 */
export const cgroupVersionOf = (system: System): CgroupVersion =>
  system.fileSystem("/sys/fs/cgroup")?.type === CGROUP2_MAGIC ? 2 : 1

/**
 * Whether the swap of containers can be limited. Upstream: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go
 * swapControllerAvailable.
 */
export const swapControllerAvailable = (system: System, version: CgroupVersion): boolean => {
  if (version === 1) return system.read("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes") !== undefined
  // The root group has no such file, so the kubelet checks its own group.
  const ownGroup = /^0::(\/.*)$/m.exec(system.read("/proc/self/cgroup") ?? "")?.[1] ?? "/"
  return system.read(`/sys/fs/cgroup${ownGroup}/memory.swap.max`) !== undefined
}

/**
 * Bytes of memory that cannot be reclaimed at once: the root group's usage, less inactive file pages. The root group
 * of cgroup v2 has no usage counter; its usage is anonymous memory plus file pages. Upstream: cadvisor
 * container/libcontainer/handler.go setMemoryStats; opencontainers/cgroups fs2/memory.go rootStatsFromMeminfo.
 */
export const workingSetOf = (system: System, version: CgroupVersion): number => {
  const folder = version === 1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup"
  const stat = system.read(`${folder}/memory.stat`)
  if (stat === undefined) return workingSetOfMeminfo(system)
  const stats = parseKeyValues(stat)
  const current = system.read(version === 1 ? `${folder}/memory.usage_in_bytes` : `${folder}/memory.current`)
  const usage = current === undefined ? (stats.get("anon") ?? 0) + (stats.get("file") ?? 0) : Number(current)
  const inactive = stats.get(version === 1 ? "total_inactive_file" : "inactive_file") ?? 0
  return Math.max(0, usage - inactive)
}

/** The working set from /proc/meminfo, where no memory controller is mounted. */
const workingSetOfMeminfo = (system: System): number => {
  const memory = parseMemoryInfo(system.read("/proc/meminfo") ?? "")
  const usage = (memory.get("AnonPages") ?? 0) + (memory.get("Cached") ?? 0) + (memory.get("Buffers") ?? 0)
  return Math.max(0, usage - (memory.get("Inactive(file)") ?? 0))
}
