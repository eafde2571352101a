import { cpuFiles, disk, type MachineTree, TMPFS } from "./Tree.ts"

/** cgroup v1 with swap accounting, swap on in two areas, a kernel before 6.4, and no routing table. */
export const oldServer: MachineTree = {
  architecture: "x64",
  fileSystem: (path) => (path === "/sys/fs/cgroup" ? disk(1, TMPFS) : disk(100)),
  interfaces: () => ({
    lo: [{ address: "127.0.0.1", family: "IPv4" }],
    eth1: [
      { address: "169.254.3.4", family: "IPv4" },
      { address: "10.7.0.9", family: "IPv4" }
    ]
  }),
  files: {
    "proc/sys/kernel/osrelease": "5.4.0-216-generic",
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: old\n\nprocessor\t: 1\nmodel name\t: old",
    "proc/meminfo": "MemTotal:        4096000 kB\nSwapTotal:       3145720 kB",
    "proc/swaps":
      "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/dm-1                               partition\t2097148\t0\t\t-2\n/swapfile                               file\t\t1048572\t12\t\t-3",
    "sys/fs/cgroup/memory/memory.memsw.limit_in_bytes": "9223372036854771712",
    "sys/fs/cgroup/memory/memory.usage_in_bytes": "1073741824",
    "sys/fs/cgroup/memory/memory.stat": "inactive_file 5\ntotal_inactive_file 73741824",
    ...cpuFiles(0, { core: 0, socket: 0, l3: 0 }),
    ...cpuFiles(1, { core: 0, socket: 1, l3: 1 })
  }
}
