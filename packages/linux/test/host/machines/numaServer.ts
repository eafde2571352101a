import { CGROUP2, cpuFiles, disk, hugePageFiles, type MachineTree } from "./Tree.ts"

/**
 * The place of processor `id` of 16: two sockets, a NUMA node each, four cores each, second threads from 8 on, two
 * caches a socket.
 */
const place = (id: number) => {
  const socket = Math.floor((id % 8) / 4)
  const core = id % 4
  return { socket, core, l3: socket * 2 + Math.floor(core / 2) }
}

const node = (id: number, cpus: string, distance: string): Record<string, string> => ({
  [`sys/devices/system/node/node${id}/cpulist`]: cpus,
  [`sys/devices/system/node/node${id}/meminfo`]: `Node ${id} MemTotal:       131072000 kB`,
  [`sys/devices/system/node/node${id}/distance`]: distance,
  ...hugePageFiles(`sys/devices/system/node/node${id}/hugepages`, { 2048: 512, 1048576: id === 0 ? 4 : 2 })
})

/** Two sockets of SMT cores with huge pages and split caches; a memory-only node; processor 15 is offline; no route to anywhere. */
export const numaServer: MachineTree = {
  architecture: "x64",
  fileSystem: (path) => (path === "/sys/fs/cgroup" ? disk(0, CGROUP2) : path === "/" ? disk(1800) : undefined),
  interfaces: () => ({ lo: [{ address: "127.0.0.1", family: "IPv4" }] }),
  files: {
    "etc/os-release": "ID=flatcar",
    "var/lib/dbus/machine-id": "fedcba98765432100123456789abcdef",
    "proc/sys/kernel/osrelease": "6.1.96-flatcar",
    "proc/meminfo": "MemTotal:       263000000 kB\nSwapTotal:             0 kB",
    "proc/net/route": "Iface\tDestination\tGateway",
    "sys/devices/system/cpu/online": "0-14",
    ...Object.assign({}, ...Array.from({ length: 16 }, (_, id) => cpuFiles(id, place(id)))),
    ...node(0, "0-3,8-11", "10 21 17"),
    ...node(1, "4-7,12-14", "21 10 28"),
    "sys/devices/system/node/node2/cpulist": "",
    "sys/devices/system/node/node2/meminfo": "Node 2 MemTotal:       65536000 kB",
    "sys/devices/system/node/node2/distance": "17 28 10",
    ...hugePageFiles("sys/kernel/mm/hugepages", { 2048: 1024, 1048576: 6 })
  }
}
