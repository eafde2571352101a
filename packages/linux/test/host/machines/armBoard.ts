import { CGROUP2, cpuFiles, disk, type MachineTree } from "./Tree.ts"

/** Four cores, no NUMA, no visible caches, an unknown socket, device tree instead of DMI, only IPv6. */
export const armBoard: MachineTree = {
  architecture: "arm64",
  fileSystem: (path) => (path === "/sys/fs/cgroup" ? disk(0, CGROUP2) : disk(58)),
  interfaces: () => ({
    lo: [{ address: "fd00:1::7", family: "IPv6" }],
    end0: [{ address: "fe80::dead", family: "IPv6" }]
  }),
  files: {
    "etc/machine-id": "aaaabbbbccccddddeeeeffff00001111",
    "usr/lib/os-release": "PRETTY_NAME='Debian GNU/Linux 13 (trixie)'",
    "proc/device-tree/system-id": "1000000012345678\0",
    "proc/sys/kernel/osrelease": "6.12.47-rpi",
    "proc/meminfo": "MemTotal:        8256000 kB\nSwapTotal:             0 kB",
    "proc/net/route": "Iface\tDestination\tGateway",
    "proc/net/ipv6_route":
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000258 00000001 00000000 00000003   end0",
    "sys/devices/system/cpu/online": "0-3",
    ...Object.assign({}, ...[0, 1, 2, 3].map((cpu) => cpuFiles(cpu, { core: cpu, socket: 0 }))),
    "sys/devices/system/cpu/cpu2/topology/physical_package_id": "-1"
  }
}
