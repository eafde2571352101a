import type { Pod, ResourceClaim } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { assert, beforeAll, describe, it } from "vitest"
import { loadDevices } from "../../src/index.ts"
import { nodeNamed, withScheduler } from "../withScheduler.ts"
import { claim, deviceClass, exactly, gpus, podWith, slice } from "./samples.ts"

beforeAll(() => Effect.runPromise(Effect.asVoid(loadDevices)))

const messageOf = ({ status }: Pod): string | undefined =>
  status?.conditions?.find(({ type }) => type === "PodScheduled")?.message

const withoutUid = ({ metadata: { uid: _, ...metadata }, ...rest }: ResourceClaim): ResourceClaim => ({
  ...rest,
  metadata
})
const add = (cluster: ClusterShape, each: ResourceClaim) => cluster.create("ResourceClaim", withoutUid(each))
const get = (cluster: ClusterShape, name: string) => cluster.get("ResourceClaim", { namespace: "default", name })

describe("DynamicResources", () => {
  it("allocates a claim's devices, reserves the claim and binds the pod where they are", () => {
    withScheduler(({ addNode, cluster, events, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        yield* addNode(nodeNamed("b"))
        yield* cluster.create("DeviceClass", deviceClass("gpu"))
        yield* cluster.create("ResourceSlice", slice("b", gpus(1)))
        yield* add(cluster, claim("c", [exactly("one")]))
        yield* cluster.create("Pod", podWith("p", "c"))
        yield* Effect.sleep("1 second")
        const bound = yield* pod("p")
        assert.strictEqual(bound.spec.nodeName, "b")
        const { metadata, status } = yield* get(cluster, "c")
        assert.deepStrictEqual(metadata.finalizers, ["resource.kubernetes.io/delete-protection"])
        assert.deepStrictEqual(status, {
          allocation: {
            devices: { results: [{ request: "one", driver: "gpu.example.com", pool: "b", device: "gpu-0" }] },
            nodeSelector: {
              nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] }]
            },
            allocationTimestamp: "2026-01-01T00:00:00Z"
          },
          reservedFor: [{ resource: "pods", name: "p", uid: bound.metadata.uid ?? "" }]
        })
        assert.deepStrictEqual(
          (yield* events).map(({ reason }) => reason),
          ["Scheduled"]
        )
      })
    )
  })

  it("does not try a pod whose claim does not exist until it does, and says nothing", () => {
    withScheduler(({ addNode, cluster, events, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        yield* cluster.create("DeviceClass", deviceClass("gpu"))
        yield* cluster.create("ResourceSlice", slice("a", gpus(1)))
        yield* cluster.create("Pod", podWith("p", "c"))
        yield* Effect.sleep("10 minutes")
        assert.strictEqual((yield* pod("p")).spec.nodeName, undefined)
        assert.strictEqual(messageOf(yield* pod("p")), undefined)
        assert.deepStrictEqual(yield* events, [])
        yield* add(cluster, claim("c", [exactly("one")]))
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "a")
      })
    )
  })

  it("waits for devices, with upstream's messages", () => {
    const notHelpful = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        yield* add(cluster, claim("c", [exactly("two", 2)]))
        yield* cluster.create("Pod", podWith("p", "c"))
        yield* Effect.sleep("1 second")
        assert.strictEqual(
          messageOf(yield* pod("p")),
          `0/1 nodes are available: request two: device class gpu does not exist. no new claims to deallocate, ${notHelpful}`
        )
        yield* cluster.create("DeviceClass", deviceClass("gpu"))
        yield* cluster.create("ResourceSlice", slice("a", gpus(1)))
        yield* Effect.sleep("1 minute")
        assert.strictEqual(
          messageOf(yield* pod("p")),
          `0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, ${notHelpful}`
        )
        const stored = yield* cluster.get("ResourceSlice", { name: "a-slice" })
        yield* cluster.update("ResourceSlice", { ...stored, spec: slice("a", gpus(2)).spec })
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "a")
      })
    )
  })

  it("retries a pod whose claim or class is at fault, and reports no error of its own", () => {
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        yield* cluster.create("DeviceClass", deviceClass("gpu", 'device.attributes["gpu.example.com"].size > 1'))
        yield* cluster.create("ResourceSlice", slice("a", gpus(1)))
        yield* add(cluster, claim("c", [exactly("one")]))
        yield* cluster.create("Pod", podWith("p", "c"))
        yield* Effect.sleep("1 second")
        const failed = (yield* pod("p")).status?.conditions?.find(({ type }) => type === "PodScheduled")
        assert.strictEqual(failed?.reason, "SchedulerError")
        assert.strictEqual(
          failed?.message,
          'running "DynamicResources" filter plugin: class gpu: selector #0: CEL runtime error: no such key: size'
        )
        const stored = yield* cluster.get("DeviceClass", { name: "gpu" })
        yield* cluster.update("DeviceClass", { ...stored, spec: {} })
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "a")
      })
    )
  })

  it("gives a device to one claim, and to the next pod once the claim is deallocated", () => {
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        yield* cluster.create("DeviceClass", deviceClass("gpu"))
        yield* cluster.create("ResourceSlice", slice("a", gpus(1)))
        for (const name of ["c", "d"]) yield* add(cluster, claim(name, [exactly("one")]))
        yield* cluster.create("Pod", podWith("p", "c"))
        yield* cluster.create("Pod", podWith("q", "d"))
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "a")
        assert.strictEqual((yield* pod("q")).spec.nodeName, undefined)
        const { status: _, ...used } = yield* get(cluster, "c")
        yield* cluster.updateStatus("ResourceClaim", used)
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* pod("q")).spec.nodeName, "a")
      })
    )
  })

  it("lets pods share a claim on its node, and deallocates it for a pod that cannot run there", () => {
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        yield* cluster.create("DeviceClass", deviceClass("gpu"))
        yield* cluster.create("ResourceSlice", slice("a", gpus(1)))
        yield* add(cluster, claim("c", [exactly("one")]))
        yield* cluster.create("Pod", podWith("p", "c"))
        yield* cluster.create("Pod", podWith("q", "c"))
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* pod("q")).spec.nodeName, "a")
        const shared = yield* get(cluster, "c")
        assert.deepStrictEqual(
          shared.status?.reservedFor?.map(({ name }) => name),
          ["p", "q"]
        )
        const { reservedFor: _, ...unused } = shared.status ?? {}
        yield* cluster.updateStatus("ResourceClaim", { ...shared, status: unused })
        yield* addNode(nodeNamed("b"))
        yield* cluster.create("ResourceSlice", slice("b", gpus(1)))
        const away = podWith("r", "c")
        yield* cluster.create("Pod", {
          ...away,
          spec: { ...away.spec, nodeSelector: { "kubernetes.io/hostname": "b" } }
        })
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* pod("r")).spec.nodeName, "b")
        assert.strictEqual((yield* get(cluster, "c")).status?.allocation?.devices?.results?.[0]?.pool, "b")
      })
    )
  })

  it("waits for conditions of devices before it binds, and starts again when they fail", () => {
    const conditional = { bindingConditions: ["Attached"], bindingFailureConditions: ["Broken"] }
    withScheduler(({ addNode, cluster, events, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        yield* cluster.create("DeviceClass", deviceClass("gpu"))
        yield* cluster.create("ResourceSlice", slice("a", gpus(2, conditional)))
        yield* add(cluster, claim("c", [exactly("one")]))
        yield* cluster.create("Pod", podWith("p", "c"))
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* pod("p")).spec.nodeName, undefined)
        const report = Effect.fnUntraced(function* (type: string) {
          const allocated = yield* get(cluster, "c")
          const { device = "" } = allocated.status?.allocation?.devices?.results?.[0] ?? {}
          const time = "2026-01-01T00:00:00Z"
          const conditions = [
            { type, status: "True", reason: "Driver", message: "so", lastTransitionTime: time }
          ] as const
          const devices = [{ driver: "gpu.example.com", pool: "a", device, conditions }]
          yield* cluster.updateStatus("ResourceClaim", { ...allocated, status: { ...allocated.status, devices } })
        })
        yield* report("Broken")
        yield* Effect.sleep("10 seconds")
        assert.match(
          messageOf(yield* pod("p")) ?? "",
          /^running PreBind plugin "DynamicResources": device binding failed: claim=c, reason=Driver, message="so"$|deallocation of ResourceClaim completed/
        )
        yield* Effect.sleep("1 minute")
        yield* report("Attached")
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "a")
        const notes = (yield* events).filter(({ reason }) => reason === "BindingConditionsPending")
        assert.strictEqual(notes[0]?.message, "waiting for binding conditions for device on node a")
      })
    )
  })
})
