import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { connect as http2, type OutgoingHttpHeaders } from "node:http2"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DescService } from "@bufbuild/protobuf"
import { type Client, createClient } from "@connectrpc/connect"
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node"
import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import { type ContainerClaimDevices, NodeHosts, PodRuntimes } from "@rollcall/kubelet"
import { layerWallClock, type Timers } from "@rollcall/time"
import { type Device, makeResourceManagers, resourceManagersConfig, uniformMachine } from "@rollcall/topology"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { Registration } from "../../src/generated/deviceplugin_pb.ts"
import { PodResourcesLister } from "../../src/generated/podresources_pb.ts"
import {
  type DevicePluginOptions,
  DevicePlugins,
  layerPluginMachines,
  serveDevicePlugin,
  serveNodeSockets
} from "../../src/sockets/index.ts"

const GPU = "example.com/gpu"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sockets-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const clientOf = <S extends DescService>(service: S, path: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Http2SessionManager("http://localhost", {}, { createConnection: () => connect(path) })),
      (session) => Effect.sync(() => session.abort())
    ),
    (sessionManager): Client<S> =>
      createClient(service, createGrpcTransport({ baseUrl: "http://localhost", sessionManager }))
  )

const podWith = (uid: string, count: number): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `pod-${uid}`, namespace: "default", uid },
  spec: { containers: [{ name: "c", image: "i", resources: { limits: { [GPU]: String(count) } } }] }
})
const device = (id: string, numaNode: number, healthy = true): Device => ({ id, healthy, numaNodes: [numaNode] })

const waitFor = Effect.fnUntraced(function* (what: string, check: () => boolean) {
  for (let tries = 0; tries < 300 && !check(); tries++) yield* Effect.sleep("10 millis")
  assert.isTrue(check(), what)
})

/** A node's sockets, and a plugin with two devices. */
const setUp = Effect.fnUntraced(function* (extra: Partial<DevicePluginOptions> = {}) {
  const rootDir = yield* temporaryFolder
  const pods: Array<Pod> = []
  const managers = Result.getOrThrow(
    makeResourceManagers({
      machine: uniformMachine({ numaNodes: 2, coresPerNode: 2, memoryPerNode: 2 ** 30 }),
      config: resourceManagersConfig(),
      activePods: () => pods
    })
  )
  const plugins = yield* Layer.build(DevicePlugins.layer(rootDir))
  const updates: Array<string> = []
  // A kubelet is an object of a class.
  class Node {
    readonly known = pods
    activePods() {
      return this.known
    }
    readonly claimed = new Map<string, ReadonlyArray<ContainerClaimDevices>>()
    claimsOf(_: Pod, container: string) {
      return this.claimed.get(container) ?? []
    }
    syncNodeStatus() {
      updates.push(Context.get(plugins, DevicePlugins).resources().allocatable[GPU]?.toString() ?? "none")
    }
  }
  const node = new Node()
  yield* serveNodeSockets(rootDir, node, managers).pipe(Effect.provideContext(plugins))
  const devices = yield* SubscriptionRef.make<ReadonlyArray<Device>>([device("a", 0), device("b", 1)])
  const calls: Array<string> = []
  const pluginScope = yield* Scope.fork(yield* Effect.scope)
  yield* serveDevicePlugin(join(rootDir, "device-plugins"), {
    resource: GPU,
    endpoint: "gpu.sock",
    devices: SubscriptionRef.changes(devices),
    allocate: (ids) => {
      calls.push(`allocate ${ids}`)
      return { envs: { GPUS: ids.join(",") } }
    },
    preStart: (ids) => void calls.push(`start ${ids}`),
    ...extra
  }).pipe(Scope.provide(pluginScope))
  return { rootDir, pods, managers, updates, plugins, devices, calls, pluginScope, claimed: node.claimed }
})

const started = (name: string) => (observed: Array<string>) => ({
  started: () => void observed.push(`${name} started`),
  sandboxReady: () => undefined,
  containerStarted: () => undefined,
  containerFailed: () => undefined,
  containerExited: () => undefined,
  stopped: () => void observed.push(`${name} stopped`),
  warned: (reason: string, message: string) => void observed.push(`${reason}: ${message}`)
})

const live = (title: string, test: Effect.Effect<unknown, unknown, Scope.Scope | Timers>) =>
  it.live(title, () => test.pipe(Effect.scoped, Effect.provide([layerWallClock()])))

describe("the sockets of a node", () => {
  live(
    "show the devices of a plugin, and mark them unhealthy when it goes",
    Effect.gen(function* () {
      const { devices, managers, pluginScope, plugins, rootDir, updates } = yield* setUp()
      const { resources } = Context.get(plugins, DevicePlugins)
      const allocatable = () => resources().allocatable[GPU]
      yield* waitFor("two devices", () => allocatable() === "2")
      const shown = resources()
      assert.strictEqual(resources(), shown)
      const agent = yield* clientOf(PodResourcesLister, join(rootDir, "pod-resources", "kubelet.sock"))
      const asked = yield* Effect.promise(() => agent.getAllocatableResources({}))
      assert.deepStrictEqual(
        asked.devices.map(({ deviceIds, resourceName, topology }) => [resourceName, deviceIds, topology?.nodes[0]?.ID]),
        [
          [GPU, ["a"], 0n],
          [GPU, ["b"], 1n]
        ]
      )
      yield* SubscriptionRef.set(devices, [device("a", 0, false), device("b", 1)])
      yield* waitFor("one healthy device", () => allocatable() === "1" && resources().capacity[GPU] === "2")
      yield* Scope.close(pluginScope, Exit.void)
      yield* waitFor("no healthy device", () => allocatable() === "0" && resources().capacity[GPU] === "2")
      assert.lengthOf(managers.devices.inventory()[GPU] ?? [], 2)
      assert.deepStrictEqual(updates, ["2", "1", "0"])
    })
  )

  live(
    "tell what each container has",
    Effect.gen(function* () {
      const { claimed, devices, managers, plugins, pods, rootDir } = yield* setUp()
      const claimDevice = (deviceName: string, shareID?: string) => {
        const cdiDeviceIDs = [`vendor/class=${deviceName}`]
        const named = { requestNames: [], poolName: "p", deviceName, cdiDeviceIDs }
        return ["nic.example.com", shareID === undefined ? named : { ...named, shareID }] as const
      }
      claimed.set("c", [{ name: "net", namespace: "default", devices: [claimDevice("n0"), claimDevice("n1", "s1")] }])
      const { healthOf, resources } = Context.get(plugins, DevicePlugins)
      yield* waitFor("two devices", () => resources().allocatable[GPU] === "2")
      const pod = podWith("1", 1)
      pods.push(pod)
      assert.isUndefined(managers.admit({ pod }))
      const agent = yield* clientOf(PodResourcesLister, join(rootDir, "pod-resources", "kubelet.sock"))
      const { podResources } = yield* Effect.promise(() => agent.list({}))
      const containers = podResources[0]?.containers
      assert.deepStrictEqual(
        containers?.map(({ cpuIds, devices, name }) => [name, cpuIds, devices.map(({ deviceIds }) => deviceIds[0])]),
        [["c", [], ["a"]]]
      )
      const [dynamic] = containers?.[0]?.dynamicResources ?? []
      assert.deepStrictEqual([dynamic?.claimNamespace, dynamic?.claimName], ["default", "net"])
      assert.deepStrictEqual(
        dynamic?.claimResources.map(({ cdiDevices, deviceName, driverName, poolName, shareId }) => [
          `${driverName}/${poolName}/${deviceName} ${shareId}`,
          cdiDevices.map(({ name }) => name).join(" ")
        ]),
        [
          ["nic.example.com/p/n0 undefined", "vendor/class=n0"],
          ["nic.example.com/p/n1 s1", "vendor/class=n0 vendor/class=n1"]
        ]
      )
      const got = yield* Effect.promise(() => agent.get({ podName: "pod-1", podNamespace: "default" }))
      assert.deepStrictEqual(got.podResources, podResources[0])
      const missing = yield* Effect.flip(Effect.tryPromise(() => agent.get({ podName: "x", podNamespace: "y" })))
      assert.include(String(missing.cause), "pod x in namespace y not found")
      assert.match(managers.admit({ pod: podWith("2", 2) })?.message ?? "", /Requested: 2, Available: 1/)
      const health = () => healthOf(pod, "c")
      assert.deepStrictEqual(health(), [{ name: GPU, resources: [{ resourceID: "a", health: "Healthy" }] }])
      yield* SubscriptionRef.set(devices, [device("a", 0, false), device("b", 1)])
      yield* waitFor("an unhealthy device", () => health()[0]?.resources[0]?.health === "Unhealthy")
      assert.deepStrictEqual(healthOf(pod, "other"), [])
    })
  )

  live(
    "have plugins allocate before a pod starts, again and again until they do",
    Effect.gen(function* () {
      const { calls, managers, pluginScope, plugins } = yield* setUp()
      const { resources } = Context.get(plugins, DevicePlugins)
      yield* waitFor("two devices", () => resources().allocatable[GPU] === "2")
      const given = Layer.merge(NodeHosts.layerModelled, PodRuntimes.layerModelled({ startMs: 1 }))
      const machines = yield* Layer.build(layerPluginMachines(given).pipe(Layer.provide(Layer.succeedContext(plugins))))
      const host = Context.get(machines, NodeHosts).of({ name: "n", capacity: { cpu: "4", memory: "1Gi" } })
      assert.strictEqual(host.machine().devices?.capacity[GPU], "2")
      assert.strictEqual(host.machine(), host.machine())
      const runtime = Context.get(machines, PodRuntimes).of({ name: "n", podCIDR: "10.0.0.0/24" })
      const observed: Array<string> = []
      runtime.start(podWith("none", 0), started("without")(observed))
      yield* waitFor("a pod without devices", () => observed.includes("without started"))
      assert.deepStrictEqual(calls, [])
      const pod = podWith("1", 2)
      assert.isUndefined(managers.admit({ pod }))
      runtime.start(pod, started("with")(observed))
      yield* waitFor("a pod with devices", () => observed.includes("with started"))
      assert.deepStrictEqual(calls, ["allocate a,b", "start a,b"])
      yield* Scope.close(pluginScope, Exit.void)
      yield* waitFor("no healthy device", () => resources().allocatable[GPU] === "0")
      runtime.start({ ...pod, metadata: { ...pod.metadata } }, started("late")(observed))
      const failure = `Allocate failed due to endpoint ${GPU} has been stopped, which is unexpected`
      yield* waitFor("an Event", () => observed.includes(`UnexpectedAdmissionError: ${failure}`))
      runtime.stop(pod, 0, started("late")(observed))
      yield* waitFor("the end", () => observed.includes("late stopped"))
      assert.notInclude(observed, "late started")
    })
  )

  live(
    "let a plugin choose the devices of a pod before it starts",
    Effect.gen(function* () {
      const wanted: Array<unknown> = []
      const prefer: DevicePluginOptions["prefer"] = (preference) => {
        wanted.push(preference)
        return ["b"]
      }
      const { calls, managers, plugins } = yield* setUp({ prefer })
      const { resources } = Context.get(plugins, DevicePlugins)
      yield* waitFor("two devices", () => resources().allocatable[GPU] === "2")
      const given = Layer.merge(NodeHosts.layerModelled, PodRuntimes.layerModelled({ startMs: 1 }))
      const machines = yield* Layer.build(layerPluginMachines(given).pipe(Layer.provide(Layer.succeedContext(plugins))))
      const runtime = Context.get(machines, PodRuntimes).of({ name: "n", podCIDR: "10.0.0.0/24" })
      const observed: Array<string> = []
      const pod = podWith("1", 1)
      assert.isUndefined(managers.admit({ pod }))
      assert.deepStrictEqual(managers.devices.devicesOf("1", "c")[GPU], ["a"])
      runtime.start(pod, started("it")(observed))
      yield* waitFor("a pod with devices", () => observed.includes("it started"))
      assert.deepStrictEqual(wanted, [{ available: ["a", "b"], mustInclude: [], size: 1 }])
      assert.deepStrictEqual(calls, ["allocate b", "start b"])
      assert.deepStrictEqual(managers.devices.devicesOf("1", "c")[GPU], ["b"])
    })
  )

  live(
    "refuse what is no plugin, and survive what is no gRPC",
    Effect.gen(function* () {
      const { rootDir } = yield* setUp()
      const registration = yield* clientOf(Registration, join(rootDir, "device-plugins", "kubelet.sock"))
      const refusal = (request: Parameters<typeof registration.register>[0]) =>
        Effect.map(
          Effect.flip(Effect.tryPromise({ try: () => registration.register(request), catch: String })),
          (error) => error
        )
      const good = { version: "v1beta1", endpoint: "gpu.sock", resourceName: GPU }
      assert.include(
        yield* refusal({ ...good, version: "v1" }),
        'requested API version "v1" is not supported by kubelet. Supported version is ["v1beta1"]'
      )
      assert.include(yield* refusal({ ...good, resourceName: "cpu" }), 'the ResourceName "cpu" is invalid')
      assert.include(yield* refusal({ ...good, endpoint: "../x.sock" }), "is no name of a socket")
      assert.include(yield* refusal({ ...good, endpoint: "nobody.sock" }), "failed to get device plugin options")
      const raw = connect(join(rootDir, "device-plugins", "kubelet.sock"))
      raw.on("error", () => undefined)
      raw.end("GET / HTTP/1.1\r\n\r\n")
      const statusOf = (headers: OutgoingHttpHeaders) =>
        Effect.promise(
          () =>
            new Promise<string>((resolve) => {
              const path = join(rootDir, "pod-resources", "kubelet.sock")
              const session = http2("http://localhost", { createConnection: () => connect(path) })
              const stream = session.request({ ":method": "POST", "content-type": "application/grpc", ...headers })
              stream.on("response", (answer) => resolve(`${answer[":status"]} ${answer["grpc-status"] ?? ""}`))
              stream.on("error", ({ message }) => resolve(message))
              stream.on("close", () => session.destroy())
              stream.end(Buffer.alloc(5))
            })
        )
      assert.match(yield* statusOf({ ":path": "//[" }), /^404/)
      // As Go's clients name a socket.
      const authority = encodeURIComponent(join(rootDir, "pod-resources", "kubelet.sock"))
      const listed = yield* statusOf({ ":path": "/v1.PodResourcesLister/List", ":authority": authority })
      assert.match(listed, /^200/)
      yield* Effect.promise(() => registration.register(good))
    })
  )

  live(
    "go with the scope",
    Effect.gen(function* () {
      const scope = yield* Scope.fork(yield* Effect.scope)
      const { rootDir } = yield* setUp().pipe(Scope.provide(scope))
      assert.isTrue(existsSync(join(rootDir, "pod-resources", "kubelet.sock")))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(existsSync(join(rootDir, "pod-resources", "kubelet.sock")))
    })
  )
})
