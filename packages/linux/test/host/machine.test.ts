import { assert, describe, it } from "@effect/vitest"
import type { Machine } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import { readMachine } from "../../src/host/machine.ts"
import { readNetwork } from "../../src/host/network.ts"
import { readTopology } from "../../src/host/numa.ts"
import { readSignals } from "../../src/host/resources.ts"
import { readSwap } from "../../src/host/swap.ts"
import { armBoard } from "./machines/armBoard.ts"
import { laptop } from "./machines/laptop.ts"
import { numaServer } from "./machines/numaServer.ts"
import { oldServer } from "./machines/oldServer.ts"
import { type MachineTree, systemOf } from "./machines/Tree.ts"

const versions = { kubeletVersion: "v1.36.2", runtimeType: "containerd", runtimeVersion: "2.1.0" }

const machineOf = (tree: MachineTree, more: { nodeIPs?: ReadonlyArray<string>; lookup?: ReadonlyArray<string> } = {}) =>
  Effect.map(systemOf(tree), (system): Machine => {
    const { lookup = [], ...setting } = more
    return readMachine(system, readNetwork(system, lookup), {
      hostname: "n1",
      versions,
      rootDir: "/var/lib/kubelet",
      ...setting
    })
  })

const internalIPs = ({ addresses }: Machine) =>
  addresses.filter(({ type }) => type === "InternalIP").map(({ address }) => address)

describe("a laptop", () => {
  it.effect("is read completely", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* machineOf(laptop), {
        capacity: {
          cpu: "4",
          memory: "16204084Ki",
          "ephemeral-storage": "476Gi",
          "hugepages-2Mi": "0",
          "hugepages-1Gi": "0"
        },
        addresses: [
          { type: "InternalIP", address: "192.168.178.31" },
          { type: "Hostname", address: "n1" }
        ],
        network: {
          interfaceIPs: ["127.0.0.1", "::1", "192.168.178.31", "2001:db8::31", "fe80::1"],
          lookup: [],
          defaultRoute: { 4: { address: "192.168.178.31" }, 6: { address: "2001:db8::31" } }
        },
        operatingSystem: "linux",
        architecture: "amd64",
        machineID: "0123456789abcdef0123456789abcdef",
        systemUUID: "4c4c4544-0042-3510-8052-b4c04f4e3132",
        bootID: "b5c1a2f0-0000-4000-8000-00000000beef",
        versions: {
          ...versions,
          kernelVersion: "6.18.4-200.fc44.x86_64",
          osImage: "Fedora Linux 44 (Workstation Edition)"
        },
        images: [],
        swapBytes: 0,
        cgroupVersion: 2,
        swapController: true,
        tmpfsNoSwap: true,
        appArmor: true
      })
    })
  )

  it.effect("has its working set from the root control group, which counts no usage of its own", () =>
    Effect.gen(function* () {
      const signals = readSignals(yield* systemOf(laptop), "/var/lib/kubelet", 7)
      const capacity = 16204084 * 1024
      // anon + file - inactive_file
      assert.deepStrictEqual(signals["memory.available"], { available: capacity - 10 * 2 ** 30, capacity, atMs: 7 })
      const space = { available: 238 * 2 ** 30, capacity: 476 * 2 ** 30, atMs: 7 }
      for (const fs of ["nodefs", "imagefs", "containerfs"]) assert.deepStrictEqual(signals[`${fs}.available`], space)
      const inodes = { available: 428_400, capacity: 476_000, atMs: 7 }
      for (const fs of ["nodefs", "imagefs", "containerfs"]) assert.deepStrictEqual(signals[`${fs}.inodesFree`], inodes)
      assert.deepStrictEqual(signals["pid.available"], { available: 123_000, capacity: 124_853, atMs: 7 })
    })
  )

  it.effect("uses the addresses it is given, or its name has", () =>
    Effect.gen(function* () {
      const both = ["2001:db8::31", "192.168.178.31"]
      assert.deepStrictEqual(internalIPs(yield* machineOf(laptop, { nodeIPs: both })), both)
      assert.deepStrictEqual(internalIPs(yield* machineOf(laptop, { nodeIPs: ["::"] })), ["2001:db8::31"])
      const lookup = ["127.0.1.1", "203.0.113.9", "2001:db8::31"]
      assert.deepStrictEqual(internalIPs(yield* machineOf(laptop, { lookup })), ["2001:db8::31"])
      assert.deepStrictEqual(internalIPs(yield* machineOf(laptop, { nodeIPs: ["203.0.113.9"] })), [])
    })
  )

  it.effect("counts processes by the lower of both limits", () =>
    Effect.gen(function* () {
      const files = { ...laptop.files, "proc/sys/kernel/pid_max": "32768" }
      const signals = readSignals(yield* systemOf({ ...laptop, files }), "/", 0)
      assert.strictEqual(signals["pid.available"]?.capacity, 32768)
    })
  )
})

describe("a server of two sockets", () => {
  it.effect("has the places of its processors and its memory", () =>
    Effect.gen(function* () {
      const { cpus, numaNodes } = readTopology(yield* systemOf(numaServer))
      assert.deepStrictEqual(
        cpus.map(({ id, core, numaNode, socket, uncoreCache }) => [id, core, socket, numaNode, uncoreCache]),
        [
          [0, 0, 0, 0, 0],
          [1, 1, 0, 0, 0],
          [2, 2, 0, 0, 1],
          [3, 3, 0, 0, 1],
          [4, 4, 1, 1, 2],
          [5, 5, 1, 1, 2],
          [6, 6, 1, 1, 3],
          [7, 7, 1, 1, 3],
          [8, 0, 0, 0, 0],
          [9, 1, 0, 0, 0],
          [10, 2, 0, 0, 1],
          [11, 3, 0, 0, 1],
          [12, 4, 1, 1, 2],
          [13, 5, 1, 1, 2],
          [14, 6, 1, 1, 3]
        ]
      )
      const memory = 131_072_000 * 1024
      const pages = (gigantic: number) => [
        { pageSizeKiB: 2048, count: 512 },
        { pageSizeKiB: 1_048_576, count: gigantic }
      ]
      assert.deepStrictEqual(numaNodes, [
        { id: 0, memory, hugePages: pages(4), distances: [10, 21, 17] },
        { id: 1, memory, hugePages: pages(2), distances: [21, 10, 28] },
        { id: 2, memory: 65_536_000 * 1024, hugePages: [], distances: [17, 28, 10] }
      ])
    })
  )

  it.effect("counts online processors, and huge pages of every size", () =>
    Effect.gen(function* () {
      const { capacity, machineID, versions: told } = yield* machineOf(numaServer)
      assert.deepStrictEqual(capacity, {
        cpu: "15",
        memory: "263000000Ki",
        "ephemeral-storage": "1800Gi",
        "hugepages-2Mi": "2Gi",
        "hugepages-1Gi": "6Gi"
      })
      assert.strictEqual(machineID, "fedcba98765432100123456789abcdef")
      assert.strictEqual(told.osImage, "Linux")
    })
  )

  it.effect("has no address without a route, with the reason", () =>
    Effect.gen(function* () {
      const machine = yield* machineOf(numaServer)
      assert.deepStrictEqual(machine.addresses, [{ type: "Hostname", address: "n1" }])
      const error = 'no default routes found in "/proc/net/route" or "/proc/net/ipv6_route"'
      assert.deepStrictEqual(machine.network?.defaultRoute, { 4: { error }, 6: { error } })
      assert.isFalse(machine.tmpfsNoSwap)
      assert.isFalse(machine.swapController)
    })
  )
})

describe("an ARM board", () => {
  it.effect("is one NUMA node with all its memory; unknown places are the same for all processors", () =>
    Effect.gen(function* () {
      const { cpus, numaNodes } = readTopology(yield* systemOf(armBoard))
      assert.deepStrictEqual(
        cpus,
        [0, 1, 2, 3].map((id) => ({ id, core: id, socket: 0, numaNode: 0, uncoreCache: 0 }))
      )
      assert.deepStrictEqual(numaNodes, [{ id: 0, memory: 8_256_000 * 1024, hugePages: [] }])
    })
  )

  it.effect("is named by its device tree, and reached by an address on its loopback", () =>
    Effect.gen(function* () {
      const machine = yield* machineOf(armBoard)
      assert.strictEqual(machine.architecture, "arm64")
      assert.strictEqual(machine.systemUUID, "1000000012345678")
      assert.strictEqual(machine.versions.osImage, "Debian GNU/Linux 13 (trixie)")
      assert.deepStrictEqual(internalIPs(machine), ["fd00:1::7"])
    })
  )
})

describe("an old server", () => {
  it.effect("has cgroup v1 and swap", () =>
    Effect.gen(function* () {
      const system = yield* systemOf(oldServer)
      assert.deepStrictEqual(readSwap(system), {
        areas: [
          { name: "/dev/dm-1", size: 2_097_148 * 1024 },
          { name: "/swapfile", size: 1_048_572 * 1024 }
        ],
        total: 3_145_720 * 1024,
        controllerAvailable: true
      })
      const machine = yield* machineOf(oldServer)
      assert.strictEqual(machine.cgroupVersion, 1)
      assert.strictEqual(machine.swapBytes, 3_145_720 * 1024)
      assert.isFalse(machine.tmpfsNoSwap)
      assert.isFalse(machine.appArmor)
      assert.strictEqual(machine.capacity.cpu, "2")
      assert.deepStrictEqual(internalIPs(machine), ["10.7.0.9"])
      assert.strictEqual(machine.machineID, "")
      assert.strictEqual(machine.versions.osImage, "Unknown")
    })
  )

  it.effect("has its working set from the memory controller", () =>
    Effect.gen(function* () {
      const { "memory.available": memory } = readSignals(yield* systemOf(oldServer), "/", 0)
      assert.strictEqual(memory?.available, 4_096_000 * 1024 - 1_000_000_000)
      assert.strictEqual(memory?.capacity, 4_096_000 * 1024)
    })
  )

  it.effect("has a NUMA node for each socket where the kernel reports none", () =>
    Effect.gen(function* () {
      const { cpus, numaNodes } = readTopology(yield* systemOf(oldServer))
      assert.deepStrictEqual(
        cpus.map(({ core, numaNode, socket }) => [core, socket, numaNode]),
        [
          [0, 0, 0],
          [1, 1, 1]
        ]
      )
      assert.deepStrictEqual(numaNodes, [
        { id: 0, memory: 0, hugePages: [] },
        { id: 1, memory: 0, hugePages: [] }
      ])
    })
  )
})

describe("a machine without readings", () => {
  it.effect("has the processors that /proc counts where /sys is not there", () =>
    Effect.gen(function* () {
      const cpuinfo = oldServer.files["proc/cpuinfo"] ?? ""
      const { cpus } = readTopology(yield* systemOf({ files: { "proc/cpuinfo": cpuinfo } }))
      assert.deepStrictEqual(
        cpus.map(({ core, id, socket }) => [id, core, socket]),
        [
          [0, 0, 0],
          [1, 1, 0]
        ]
      )
    })
  )

  it.effect("has its working set from /proc/meminfo where no memory controller is mounted", () =>
    Effect.gen(function* () {
      const meminfo = "MemTotal: 1000 kB\nAnonPages: 300 kB\nCached: 150 kB\nBuffers: 50 kB\nInactive(file): 100 kB"
      const { "memory.available": memory } = readSignals(
        yield* systemOf({ files: { "proc/meminfo": meminfo } }),
        "/",
        0
      )
      assert.strictEqual(memory?.available, 600 * 1024)
    })
  )

  it.effect("is empty, without an error", () =>
    Effect.gen(function* () {
      const machine = yield* machineOf({
        files: {},
        fileSystem: () => undefined,
        interfaces: () => ({}),
        architecture: "riscv64"
      })
      assert.deepStrictEqual(machine.capacity, { cpu: "0", memory: "0" })
      assert.strictEqual(machine.architecture, "riscv64")
      assert.deepStrictEqual(machine.network?.defaultRoute[4], { error: "no interfaces found on host." })
    })
  )
})
