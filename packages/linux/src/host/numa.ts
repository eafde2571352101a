import type { MachineTopology, NumaNode } from "@rollcall/topology"
import { numberedFolders, readCpus } from "./cpus.ts"
import { readHugePages } from "./hugePages.ts"
import { parseIdList } from "./parse/idList.ts"
import { parseMemoryInfo } from "./parse/memoryInfo.ts"
import type { System } from "./System.ts"

const NODES = "/sys/devices/system/node"

const readNumaNode = (system: System, id: number): NumaNode => {
  const folder = `${NODES}/node${id}`
  const distances = system.read(`${folder}/distance`)
  return {
    id,
    memory: parseMemoryInfo(system.read(`${folder}/meminfo`) ?? "").get("MemTotal") ?? 0,
    hugePages: readHugePages(system, `${folder}/hugepages`),
    ...(distances === undefined ? {} : { distances: distances.split(/\s+/).map(Number) })
  }
}

/** Returns the NUMA nodes of a kernel without NUMA: each socket is one, and a single one has all the memory. */
const numaNodesOfSockets = (system: System, sockets: ReadonlyArray<number>): ReadonlyArray<NumaNode> => {
  const [only] = sockets
  if (only === undefined || sockets.length > 1) return sockets.map((id) => ({ id, memory: 0, hugePages: [] }))
  const memory = parseMemoryInfo(system.read("/proc/meminfo") ?? "").get("MemTotal") ?? 0
  return [{ id: only, memory, hugePages: readHugePages(system, "/sys/kernel/mm/hugepages") }]
}

/**
 * The machine's processors, memory and their NUMA topology. Upstream: cadvisor utils/sysinfo/sysinfo.go GetNodesInfo.
 */
export const readTopology = (system: System): MachineTopology => {
  const nodes = numberedFolders(system, NODES, "node")
  const numaNodeOf = new Map<number, number>()
  for (const id of nodes) {
    for (const cpu of parseIdList(system.read(`${NODES}/node${id}/cpulist`))) numaNodeOf.set(cpu, id)
  }
  const cpus = readCpus(system, numaNodeOf)
  if (nodes.length > 0) return { cpus, numaNodes: nodes.map((id) => readNumaNode(system, id)) }
  const sockets = [...new Set(cpus.map(({ socket }) => socket))].sort((a, b) => a - b)
  return { cpus, numaNodes: numaNodesOfSockets(system, sockets) }
}
