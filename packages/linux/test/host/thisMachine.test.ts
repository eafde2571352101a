import { spawnSync } from "node:child_process"
import { hostname } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { value } from "@rollcall/api"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { makeLinuxHost } from "../../src/host/LinuxHost.ts"

/** The output of a program, or undefined where it is missing. */
const outputOf = (command: string, ...args: ReadonlyArray<string>): string | undefined => {
  const { status, stdout } = spawnSync(command, args, {
    encoding: "utf8",
    env: { PATH: process.env.PATH, LC_ALL: "C" }
  })
  return status === 0 ? stdout.trim() : undefined
}

const thisMachine = Effect.provide(
  makeLinuxHost({
    hostname: hostname(),
    rootDir: "/",
    versions: { kubeletVersion: "v1.36.2", runtimeType: "containerd", runtimeVersion: "2.1.0" }
  }),
  layerWallClock()
)

describe.skipIf(process.platform !== "linux")("this machine", () => {
  it.live("has the processors that nproc counts", ({ skip }) =>
    Effect.gen(function* () {
      const count = outputOf("nproc", "--all")
      if (count === undefined) return skip("no nproc")
      const { host, topology } = yield* thisMachine
      assert.isAtMost(topology().cpus.length, Number(count))
      assert.strictEqual(host.machine().capacity.cpu, outputOf("getconf", "_NPROCESSORS_ONLN") ?? count)
      assert.strictEqual(String(topology().cpus.length), host.machine().capacity.cpu)
    })
  )

  it.live("has the memory that /proc/meminfo reports", () =>
    Effect.gen(function* () {
      const { host } = yield* thisMachine
      const total = outputOf("grep", "MemTotal", "/proc/meminfo")?.match(/\d+/)?.[0]
      assert.strictEqual(host.machine().capacity.memory, `${total}Ki`)
      const memory = host.resources?.read().signals["memory.available"]
      assert.isAbove(memory?.available ?? 0, 0)
      assert.isAtMost(memory?.available ?? 0, memory?.capacity ?? 0)
    })
  )

  it.live("has the name that uname reports", () =>
    Effect.gen(function* () {
      const { host } = yield* thisMachine
      const { architecture, versions } = host.machine()
      assert.strictEqual(versions.kernelVersion, outputOf("uname", "-r"))
      const goNames: Record<string, string> = { x86_64: "amd64", aarch64: "arm64" }
      const machine = outputOf("uname", "-m") ?? ""
      assert.strictEqual(architecture, goNames[machine] ?? machine)
    })
  )

  it.live("is reached by an address that ip reports", ({ skip }) =>
    Effect.gen(function* () {
      const route = outputOf("ip", "-4", "route", "get", "192.0.2.254")?.match(/src (\S+)/)?.[1]
      if (route === undefined) return skip("no ip, or no route")
      const { host } = yield* thisMachine
      const { addresses, network } = host.machine()
      assert.isTrue(network?.interfaceIPs.includes(route))
      const internal = addresses.find(({ type }) => type === "InternalIP")?.address
      assert.include(outputOf("ip", "addr") ?? "", internal ?? "no address")
    })
  )

  it.live("has the disk that df reports", ({ skip }) =>
    Effect.gen(function* () {
      const line = outputOf("df", "-k", "--output=size,itotal", "/")?.split("\n").at(-1)?.trim().split(/\s+/)
      if (line === undefined) return skip("no df that knows --output")
      const { host } = yield* thisMachine
      assert.strictEqual(value(host.machine().capacity["ephemeral-storage"] ?? "0"), Number(line[0]) * 1024)
      const signals = host.resources?.read().signals
      assert.strictEqual(signals?.["nodefs.inodesFree"]?.capacity, Number(line[1]))
      assert.strictEqual(signals?.["nodefs.available"]?.capacity, Number(line[0]) * 1024)
    })
  )

  it.live("has the control groups that stat reports", ({ skip }) =>
    Effect.gen(function* () {
      const type = outputOf("stat", "-fc", "%T", "/sys/fs/cgroup")
      if (type === undefined) return skip("no stat")
      const { cgroupVersion } = yield* thisMachine
      assert.strictEqual(cgroupVersion, type === "cgroup2fs" ? 2 : 1)
    })
  )
})
