import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { releases } from "@rollcall/api"
import { cancellable } from "@rollcall/cluster"
import { type KubeletConfig, kubeletConfig, PodRuntimes, type StaticPodManifest } from "@rollcall/kubelet"
import { makeSystem, type SystemOptions } from "@rollcall/linux/host"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as References from "effect/References"
import { followManifests } from "../src/machine/followManifests.ts"
import { linuxKubelet } from "../src/machine/linuxKubelet.ts"
import { stateFolder } from "../src/machine/stateFolder.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "machine-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const CGROUP2 = 0x63677270
const TMPFS = 0x01021994

/** A machine of two CPUs and 1 GiB. */
const machineIn = (root: string, { cgroup = CGROUP2, swapKiB = 0 } = {}): SystemOptions => {
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write("sys/devices/system/cpu/online", "0-1\n")
  write("proc/meminfo", `MemTotal: 1048576 kB\nSwapTotal: ${swapKiB} kB\n`)
  return {
    root,
    fileSystem: () => ({ type: cgroup, capacity: 1e9, available: 1e9, inodes: 1000, inodesFree: 1000 }),
    interfaces: () => ({})
  }
}

const release = releases["1.36"]

/** Returns why a kubelet does not start on a machine. */
const refusal = Effect.fnUntraced(function* (machine: Parameters<typeof machineIn>[1], config: Partial<KubeletConfig>) {
  const root = yield* temporaryFolder
  return yield* linuxKubelet({
    name: "n",
    release,
    config: kubeletConfig(config, release),
    connection: { send: cancellable(() => undefined), watch: () => () => undefined },
    recorder: { event: () => undefined },
    seed: 1,
    rootDir: join(root, "state"),
    system: makeSystem(machineIn(root, machine))
  }).pipe(
    Effect.provide(PodRuntimes.layerModelled()),
    Effect.flip,
    Effect.map(({ message }) => ({ message, files: readdirSync(root) }))
  )
})

describe("a kubelet on a machine", () => {
  for (const [name, machine, config, expected] of [
    ["cgroup v1", { cgroup: TMPFS }, {}, /^kubelet: kubelet is configured to not run on a host using cgroup v1\./],
    ["swap", { swapKiB: 1024 }, {}, /^kubelet: running with swap on is not supported, please disable swap/],
    ["reservations", {}, { kubeReserved: { cpu: "3" } }, /reservation of 3 but capacity of 2\./],
    ["policies", {}, { cpuManagerPolicy: "static" }, /static policy/]
  ] as const) {
    it.live(`does not start, nor write a checkpoint, for ${name}`, () =>
      Effect.gen(function* () {
        const { files, message } = yield* refusal(machine, config)
        assert.match(message, expected)
        if (name !== "policies") assert.notInclude(files, "state")
      }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, layerWallClock()]))
    )
  }
})

describe("the folder of a kubelet", () => {
  it.live("keeps checkpoints atomically, and returns none if there are none", () =>
    Effect.gen(function* () {
      const folder = join(yield* temporaryFolder, "var", "kubelet")
      const checkpoint = yield* stateFolder(folder)
      assert.isUndefined(checkpoint.read("state"))
      checkpoint.write("state", "one")
      checkpoint.write("state", "two")
      assert.strictEqual(checkpoint.read("state"), "two")
      assert.deepStrictEqual(readdirSync(folder), ["state"])
    }).pipe(Effect.scoped)
  )

  it.live("is refused by name if it cannot be created", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "file")
      writeFileSync(file, "")
      const { message } = yield* Effect.flip(stateFolder(join(file, "kubelet")))
      assert.include(message, `command line: --root-dir: ${file}/kubelet cannot be made: ENOTDIR`)
    }).pipe(Effect.scoped)
  )
})

const pod = (name: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "c", image: "i" }] }
  })

describe("manifests", () => {
  it.live("come from a folder and a web server together", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const heard = yield* Queue.unbounded<ReadonlyArray<StaticPodManifest>>()
      const served = { text: pod("web"), asked: [] as Array<string | undefined> }
      const server = createServer((request, response) => {
        served.asked.push(request.headers["metadata-flavor"]?.toString())
        response.end(served.text)
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const { port } = server.address() as AddressInfo
      yield* followManifests({
        config: kubeletConfig({
          staticPodPath: folder,
          fileCheckFrequencyMs: 50,
          staticPodURL: `http://127.0.0.1:${port}/pods`,
          staticPodURLHeader: { "Metadata-Flavor": ["Google"] },
          httpCheckFrequencyMs: 50
        }),
        setStaticPods: (manifests) => Queue.offerUnsafe(heard, manifests)
      })
      const become = (...names: ReadonlyArray<string>) =>
        Queue.take(heard).pipe(
          Effect.map((manifests) => manifests.map(({ kind, pod }) => `${kind} ${pod.metadata.name}`).sort()),
          Effect.repeat({ until: (told) => told.join() === names.join() }),
          Effect.timeout("10 seconds")
        )
      yield* become("http web")
      writeFileSync(join(folder, "a.yaml"), pod("a"))
      yield* become("file a", "http web")
      served.text = pod("web-2")
      yield* become("file a", "http web-2")
      assert.deepStrictEqual([...new Set(served.asked)], ["Google"])
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()), Effect.provideService(References.MinimumLogLevel, "None"))
  )
})

describe("a folder of manifests", () => {
  it.live("is followed: new, invalid and removed files", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const heard = yield* Queue.unbounded<ReadonlyArray<StaticPodManifest>>()
      yield* followManifests({
        config: kubeletConfig({ staticPodPath: folder, fileCheckFrequencyMs: 50 }),
        setStaticPods: (manifests) => Queue.offerUnsafe(heard, manifests)
      })
      const next = Effect.map(Queue.take(heard), (manifests) => manifests.map((each) => each.pod.metadata.name))
      /** Waits until the kubelet has these pods. */
      const become = (...names: ReadonlyArray<string>) =>
        next.pipe(Effect.repeat({ until: (told) => told.join() === names.join() }), Effect.timeout("10 seconds"))
      yield* become()
      writeFileSync(join(folder, "a.yaml"), pod("a"))
      yield* become("a")
      writeFileSync(join(folder, "b.yaml"), "kind: Pod\n")
      writeFileSync(join(folder, "c.yaml"), pod("c"))
      yield* become("a", "c")
      rmSync(join(folder, "a.yaml"))
      yield* become("c")
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()), Effect.provideService(References.MinimumLogLevel, "None"))
  )

  it.live("is optional", () =>
    Effect.gen(function* () {
      yield* followManifests({ config: kubeletConfig(), setStaticPods: () => assert.fail("nothing to tell") })
      yield* Effect.sleep(20)
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
