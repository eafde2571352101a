import type { LogicalCpu } from "@rollcall/topology"
import { parseIdList } from "./parse/idList.ts"
import type { System } from "./System.ts"

const CPUS = "/sys/devices/system/cpu"

/** The ids of folders named `cpu0`, `node1` and so on, ascending. */
export const numberedFolders = (system: System, path: string, prefix: string): ReadonlyArray<number> =>
  system
    .list(path)
    .flatMap((name) =>
      name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)) ? [name.slice(prefix.length)] : []
    )
    .map(Number)
    .sort((a, b) => a - b)

/** The ids of the online processors. A machine without /sys counts them in /proc/cpuinfo. */
export const onlineCpus = (system: System): ReadonlyArray<number> => {
  const online = parseIdList(system.read(`${CPUS}/online`))
  if (online.length > 0) return online
  const present = numberedFolders(system, CPUS, "cpu")
  if (present.length > 0) return present
  return [...(system.read("/proc/cpuinfo") ?? "").matchAll(/^processor\s*:\s*(\d+)$/gm)].map(([, id]) => Number(id))
}

/** A number from the processor's topology folder; undefined where the kernel reports -1, that is unknown. */
const readTopologyNumber = (system: System, cpu: number, name: string): number | undefined => {
  const text = system.read(`${CPUS}/cpu${cpu}/topology/${name}`)
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text)
}

/** The id of the last-level cache: its own id, else the lowest processor that shares it. */
const lastLevelCache = (system: System, cpu: number): number | undefined => {
  for (const name of system.list(`${CPUS}/cpu${cpu}/cache`)) {
    const folder = `${CPUS}/cpu${cpu}/cache/${name}`
    if (!name.startsWith("index") || Number(system.read(`${folder}/level`)) < 3) continue
    const id = system.read(`${folder}/id`)
    if (id !== undefined && /^\d+$/.test(id)) return Number(id)
    return parseIdList(system.read(`${folder}/shared_cpu_list`))[0]
  }
  return undefined
}

/**
 * The online processors and their places. Where the machine does not report them: a core of its own, socket 0, and the
 * socket as the shared cache. Upstream: cadvisor utils/sysinfo/sysinfo.go getCoresInfo;
 * pkg/kubelet/cm/cpumanager/topology/topology.go getUncoreCacheID.
 */
export const readCpus = (system: System, numaNodeOf: ReadonlyMap<number, number>): ReadonlyArray<LogicalCpu> => {
  const lowestIdOfCore = new Map<string, number>()
  return onlineCpus(system).map((id) => {
    const socket = readTopologyNumber(system, id, "physical_package_id") ?? 0
    const numaNode = numaNodeOf.get(id) ?? (numaNodeOf.size === 0 ? socket : 0)
    const coreId = readTopologyNumber(system, id, "core_id")
    const place = `${numaNode}/${socket}/${coreId ?? `cpu${id}`}`
    // Ids ascend, so the first thread of a core has its lowest id.
    const core = lowestIdOfCore.get(place) ?? id
    lowestIdOfCore.set(place, core)
    return { id, core, socket, numaNode, uncoreCache: lastLevelCache(system, id) ?? socket }
  })
}
