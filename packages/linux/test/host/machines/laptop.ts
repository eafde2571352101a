import { CGROUP2, cpuFiles, disk, hugePageFiles, type MachineTree } from "./Tree.ts"

/** One socket, two cores of two threads, cgroup v2, Wi-Fi with an address of each family, no swap. */
export const laptop: MachineTree = {
  architecture: "x64",
  fileSystem: (path) => (path === "/sys/fs/cgroup" ? disk(0, CGROUP2) : path === "/var/lib" ? disk(476) : undefined),
  interfaces: () => ({
    lo: [
      { address: "127.0.0.1", family: "IPv4" },
      { address: "::1", family: "IPv6" }
    ],
    wlp1s0: [
      { address: "192.168.178.31", family: "IPv4" },
      { address: "2001:db8::31", family: "IPv6" },
      { address: "fe80::1", family: "IPv6" }
    ]
  }),
  files: {
    "etc/machine-id": "0123456789abcdef0123456789abcdef",
    "etc/os-release": 'NAME="Fedora Linux"\nPRETTY_NAME="Fedora Linux 44 (Workstation Edition)"\nID=fedora',
    "proc/sys/kernel/osrelease": "6.18.4-200.fc44.x86_64",
    "proc/sys/kernel/random/boot_id": "b5c1a2f0-0000-4000-8000-00000000beef",
    "proc/sys/kernel/pid_max": "4194304",
    "proc/sys/kernel/threads-max": "124853",
    "proc/loadavg": "0.81 0.63 1.47 2/1853 24234",
    "proc/meminfo":
      "MemTotal:       16204084 kB\nMemFree:         3388628 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB",
    "proc/swaps": "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority",
    "proc/self/cgroup": "0::/user.slice/session.scope",
    "proc/net/route":
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\nwlp1s0\t00000000\t01B2A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\nwlp1s0\t00B2A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0",
    "proc/net/ipv6_route":
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000258 00000001 00000000 00000003   wlp1s0",
    "sys/class/dmi/id/product_uuid": "4c4c4544-0042-3510-8052-b4c04f4e3132",
    "sys/module/apparmor/parameters/enabled": "Y",
    "sys/fs/cgroup/memory.stat": "anon 4294967296\nfile 8589934592\ninactive_file 2147483648",
    "sys/fs/cgroup/user.slice/session.scope/memory.swap.max": "max",
    "sys/devices/system/cpu/online": "0-3",
    ...cpuFiles(0, { core: 0, socket: 0, l3: 0 }),
    ...cpuFiles(1, { core: 0, socket: 0, l3: 0 }),
    ...cpuFiles(2, { core: 1, socket: 0, l3: 0 }),
    ...cpuFiles(3, { core: 1, socket: 0, l3: 0 }),
    "sys/devices/system/node/node0/cpulist": "0-3",
    "sys/devices/system/node/node0/meminfo": "Node 0 MemTotal:       16204084 kB\nNode 0 MemFree:         3388628 kB",
    "sys/devices/system/node/node0/distance": "10",
    ...hugePageFiles("sys/kernel/mm/hugepages", { 2048: 0, 1048576: 0 }),
    ...hugePageFiles("sys/devices/system/node/node0/hugepages", { 2048: 0, 1048576: 0 })
  }
}
