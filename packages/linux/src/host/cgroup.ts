import { parseKeyValues } from "./parse/keyValues.ts"
import { parseMemoryInfo } from "./parse/memoryInfo.ts"
import type { System } from "./System.ts"

export type CgroupVersion = 1 | 2

/** CGROUP2_SUPER_MAGIC of linux/magic.h. */
const CGROUP2_MAGIC = 0x63677270

/** Which cgroups rule: 2 only when nothing else is mounted there. Upstream: opencontainers/cgroups IsCgroup2UnifiedMode. */
export const cgroupVersionOf = (system: System): CgroupVersion =>
  system.fileSystem("/sys/fs/cgroup")?.type === CGROUP2_MAGIC ? 2 : 1

/** Whether containers' swap can be limited. Upstream: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go swapControllerAvailable. */
export const swapControllerAvailable = (system: System, version: CgroupVersion): boolean => {
  if (version === 1) return system.read("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes") !== undefined
  // The root group has no such file: the kubelet looks into the group that it runs in.
  const own = /^0::(\/.*)$/m.exec(system.read("/proc/self/cgroup") ?? "")?.[1] ?? "/"
  return system.read(`/sys/fs/cgroup${own}/memory.swap.max`) !== undefined
}

/**
 * Bytes of memory that cannot be given back at once: what the root group uses, less file pages that were not used of late. The
 * root group of cgroup v2 has no counter of its own; what it uses is anonymous memory and pages of files.
 * Upstream: cadvisor container/libcontainer/handler.go setMemoryStats; opencontainers/cgroups fs2/memory.go rootStatsFromMeminfo.
 */
export const workingSetOf = (system: System, version: CgroupVersion): number => {
  const folder = version === 1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup"
  const stat = system.read(`${folder}/memory.stat`)
  if (stat === undefined) return withoutCgroups(system)
  const stats = parseKeyValues(stat)
  const current = system.read(version === 1 ? `${folder}/memory.usage_in_bytes` : `${folder}/memory.current`)
  const usage = current === undefined ? (stats.get("anon") ?? 0) + (stats.get("file") ?? 0) : Number(current)
  const inactive = stats.get(version === 1 ? "total_inactive_file" : "inactive_file") ?? 0
  return Math.max(0, usage - inactive)
}

/** The same from /proc/meminfo, where no memory controller is mounted. */
const withoutCgroups = (system: System): number => {
  const memory = parseMemoryInfo(system.read("/proc/meminfo") ?? "")
  const usage = (memory.get("AnonPages") ?? 0) + (memory.get("Cached") ?? 0) + (memory.get("Buffers") ?? 0)
  return Math.max(0, usage - (memory.get("Inactive(file)") ?? 0))
}
