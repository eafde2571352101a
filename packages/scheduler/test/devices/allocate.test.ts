import type { Device, DeviceClass, ResourceClaim, ResourceSlice } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type Allocation, allocate } from "../../src/devices/allocate.ts"
import { Slices } from "../../src/devices/pools.ts"
import { Selectors } from "../../src/devices/selectors.ts"
import { AllocatedDevices } from "../../src/devices/usage.ts"
import { nodeNamed } from "../withScheduler.ts"
import { allOf, claim, DRIVER, deviceClass, exactly, gpus, slice } from "./samples.ts"

interface Given {
  readonly slices: ReadonlyArray<ResourceSlice>
  readonly classes?: ReadonlyArray<DeviceClass>
  /** Claims that are allocated. */
  readonly used?: ReadonlyArray<ResourceClaim>
  readonly node?: string
}

const run = (
  { classes = [deviceClass("gpu")], node = "a", slices, used = [] }: Given,
  ...claims: Array<ResourceClaim>
) => {
  const all = new Slices()
  for (const each of slices) all.set(each.metadata.name ?? "", each)
  const usage = new AllocatedDevices()
  for (const each of used) usage.replace(undefined, each)
  const byName = new Map(classes.map((each) => [each.metadata.name ?? "", each]))
  const inventory = { classes: byName, slices: all, usage, selectors: new Selectors() }
  return allocate(inventory, nodeNamed(node, { zone: `zone-${node}` }), claims)
}

const allocationsOf = (allocation: Allocation) => (allocation._tag === "Allocated" ? allocation.allocations : [])

/** The devices of each claim: `request=device`; or why there are none. */
const devicesOf = (given: Given, ...claims: Array<ResourceClaim>): ReadonlyArray<string> | string => {
  const allocation = run(given, ...claims)
  if (allocation._tag === "Unavailable") return allocation.reason
  return allocation.allocations.flatMap(({ devices }) =>
    (devices?.results ?? []).map(({ device, request }) => `${request}=${device}`)
  )
}

const none = "cannot allocate all claims"
const onA = { slices: [slice("a", gpus(3))] }

const usedClaim = (device: string, more: object = {}): ResourceClaim =>
  claim(
    "used",
    [],
    {},
    {
      allocation: { devices: { results: [{ request: "r", driver: DRIVER, pool: "a", device, ...more }] } }
    }
  )

const withAttributes = (...models: ReadonlyArray<string>): ReadonlyArray<Device> =>
  models.map((model, index) => ({ name: `gpu-${index}`, attributes: { model: { string: model } } }))

describe("requests", () => {
  it("get free devices in order, as many as they ask for, of slices of the node", () => {
    assert.deepStrictEqual(devicesOf(onA, claim("c", [exactly("x", 2)])), ["x=gpu-0", "x=gpu-1"])
    assert.deepStrictEqual(devicesOf(onA, claim("c", [exactly("x")]), claim("d", [exactly("y")])), [
      "x=gpu-0",
      "y=gpu-1"
    ])
    assert.strictEqual(devicesOf(onA, claim("c", [exactly("x", 4)])), none)
    assert.strictEqual(devicesOf({ ...onA, node: "b" }, claim("c", [exactly("x")])), none)
    assert.deepStrictEqual(devicesOf({ ...onA, used: [usedClaim("gpu-0")] }, claim("c", [exactly("x")])), ["x=gpu-1"])
  })

  it("for all get all devices, unless one is in use, none is there, or a pool is not known yet", () => {
    assert.deepStrictEqual(devicesOf(onA, claim("c", [allOf("x")])), ["x=gpu-0", "x=gpu-1", "x=gpu-2"])
    assert.strictEqual(devicesOf({ ...onA, used: [usedClaim("gpu-1")] }, claim("c", [allOf("x")])), none)
    assert.strictEqual(devicesOf({ slices: [] }, claim("c", [allOf("x")])), none)
    const partial = slice("a", gpus(1), { pool: { name: "a", generation: 1, resourceSliceCount: 2 } })
    assert.throws(
      () => run({ slices: [partial] }, claim("c", [allOf("x")])),
      "claim default/c, request x: asks for all devices, but resource pool gpu.example.com/a is currently being updated"
    )
  })

  it("are refused beyond the limit of a claim, and for classes that do not exist", () => {
    assert.throws(
      () => run(onA, claim("c", [exactly("x", 33)])),
      "claim default/c: number of requested devices 33 exceeds the claim limit of 32"
    )
    assert.throws(
      () => run({ ...onA, classes: [] }, claim("c", [exactly("x")])),
      'claim default/c, request x: could not retrieve device class gpu: deviceclass.resource.k8s.io "gpu" not found'
    )
  })

  it("select by the expressions of the class and their own, whose errors name both", () => {
    const slices = [slice("a", withAttributes("old", "new"))]
    const classes = [deviceClass("gpu", `device.driver == "${DRIVER}"`)]
    const select = (expression: string) => claim("c", [exactly("x", 1, { selectors: [{ cel: { expression } }] })])
    const isNew = `device.attributes["${DRIVER}"].model == "new"`
    assert.deepStrictEqual(devicesOf({ slices, classes }, select(isNew)), ["x=gpu-1"])
    assert.strictEqual(devicesOf({ slices, classes: [deviceClass("gpu", "false")] }, select("true")), none)
    assert.throws(
      () => run({ slices, classes }, select(`device.attributes["${DRIVER}"].size > 1`)),
      "claim default/c: selector #0: CEL runtime error: no such key: size"
    )
    assert.strictEqual(devicesOf({ slices, classes }, select('has(device.attributes["other"].x)')), none)
    assert.strictEqual(devicesOf({ slices, classes }, select('"other" in device.attributes')), none)
  })

  it("take the first alternative that there is", () => {
    const alternatives = (...counts: ReadonlyArray<number>) => ({
      name: "x",
      firstAvailable: counts.map((count) => ({
        name: `n${count}`,
        deviceClassName: "gpu",
        allocationMode: "ExactCount" as const,
        count
      }))
    })
    assert.deepStrictEqual(devicesOf(onA, claim("c", [alternatives(4, 2, 1)])), ["x/n2=gpu-0", "x/n2=gpu-1"])
    // The second request needs what the first alternative of the first would take.
    assert.deepStrictEqual(devicesOf(onA, claim("c", [alternatives(3, 1), exactly("y", 2)])), [
      "x/n1=gpu-0",
      "y=gpu-1",
      "y=gpu-2"
    ])
    assert.deepStrictEqual(devicesOf(onA, claim("c", [alternatives(33, 3)])).length, 3)
  })

  it("with admin access get devices that others have, and keep none from others", () => {
    const admin = exactly("x", 2, { adminAccess: true })
    const used = [usedClaim("gpu-0")]
    assert.deepStrictEqual(devicesOf({ ...onA, used }, claim("c", [admin])), ["x=gpu-0", "x=gpu-1"])
    assert.deepStrictEqual(
      devicesOf({ ...onA, used: [usedClaim("gpu-0", { adminAccess: true })] }, claim("c", [exactly("y")])),
      ["y=gpu-0"]
    )
    assert.strictEqual(allocationsOf(run(onA, claim("c", [admin])))[0]?.devices?.results?.[0]?.adminAccess, true)
  })
})

describe("constraints", () => {
  const constrained = (count: number, constraint: object) =>
    claim("c", [exactly("x", count)], { constraints: [constraint] })
  const slices = [slice("a", withAttributes("m1", "m2", "m2", "m1", "m3"))]

  it("match or separate devices by an attribute", () => {
    const matchAttribute = `${DRIVER}/model`
    assert.deepStrictEqual(devicesOf({ slices }, constrained(2, { matchAttribute })), ["x=gpu-0", "x=gpu-3"])
    assert.strictEqual(devicesOf({ slices }, constrained(3, { matchAttribute })), none)
    assert.strictEqual(devicesOf({ slices }, constrained(1, { matchAttribute: "other/model" })), none)
    const distinct = claim("c", [exactly("x"), exactly("y"), exactly("z")], {
      constraints: [{ distinctAttribute: matchAttribute }]
    })
    assert.deepStrictEqual(devicesOf({ slices }, distinct), ["x=gpu-0", "y=gpu-1", "z=gpu-4"])
  })

  it("concern only their requests", () => {
    const of = (requests: ReadonlyArray<string>) =>
      claim("c", [exactly("x"), exactly("y")], { constraints: [{ requests, matchAttribute: `${DRIVER}/model` }] })
    assert.deepStrictEqual(devicesOf({ slices }, of(["x"])), ["x=gpu-0", "y=gpu-1"])
    assert.deepStrictEqual(devicesOf({ slices }, of(["x", "y"])), ["x=gpu-0", "y=gpu-3"])
  })

  it("are an error for a request for all devices that breaks them", () => {
    assert.throws(
      () => run({ slices }, claim("c", [allOf("x")], { constraints: [{ matchAttribute: `${DRIVER}/model` }] })),
      `claim default/c, request x: cannot add device ${DRIVER}/a/gpu-1 because a claim constraint would not be satisfied`
    )
  })
})

describe("taints of devices", () => {
  const slices = [slice("a", gpus(1, { taints: [{ key: "hot", value: "yes", effect: "NoSchedule" }] }))]
  const tolerating = (toleration: object) => claim("c", [exactly("x", 1, { tolerations: [toleration] })])

  it("keep requests away that do not tolerate them", () => {
    assert.strictEqual(devicesOf({ slices }, claim("c", [exactly("x")])), none)
    assert.deepStrictEqual(devicesOf({ slices }, tolerating({ key: "hot", operator: "Exists" })), ["x=gpu-0"])
    assert.deepStrictEqual(devicesOf({ slices }, tolerating({ key: "hot", operator: "Equal", value: "yes" })), [
      "x=gpu-0"
    ])
    assert.strictEqual(devicesOf({ slices }, tolerating({ key: "hot", operator: "Equal", value: "no" })), none)
    assert.strictEqual(devicesOf({ slices }, tolerating({ operator: "Exists", effect: "NoExecute" })), none)
    const none2 = [slice("a", gpus(1, { taints: [{ key: "hot", effect: "None" }] }))]
    assert.deepStrictEqual(devicesOf({ slices: none2 }, claim("c", [exactly("x")])), ["x=gpu-0"])
  })
})

describe("devices that are parts of one", () => {
  const part = (name: string, memory: string): Device => ({
    name,
    consumesCounters: [{ counterSet: "card", counters: { memory: { value: memory } } }]
  })
  const pool = { name: "a", generation: 1, resourceSliceCount: 2 }
  const counters = slice("a", [], {
    name: "counters",
    pool,
    sharedCounters: [{ name: "card", counters: { memory: { value: "40Gi" } } }]
  })
  const parts = [part("whole", "40Gi"), part("half-0", "20Gi"), part("half-1", "20Gi")]
  const slices = [counters, slice("a", parts, { pool })]

  it("are allocated together only as far as their counters suffice", () => {
    assert.deepStrictEqual(devicesOf({ slices }, claim("c", [exactly("x")])), ["x=whole"])
    assert.deepStrictEqual(devicesOf({ slices }, claim("c", [exactly("x", 2)])), ["x=half-0", "x=half-1"])
    assert.strictEqual(devicesOf({ slices }, claim("c", [exactly("x", 3)])), none)
    assert.deepStrictEqual(devicesOf({ slices, used: [usedClaim("half-0")] }, claim("c", [exactly("x")])), ["x=half-1"])
    assert.strictEqual(devicesOf({ slices, used: [usedClaim("whole")] }, claim("c", [exactly("x")])), none)
  })

  it("give their counters back when the search goes another way", () => {
    const tainted = { ...part("whole", "40Gi"), taints: [{ key: "hot", effect: "NoSchedule" as const }] }
    const withTaint = [counters, slice("a", [tainted, ...parts.slice(1)], { pool })]
    assert.deepStrictEqual(devicesOf({ slices: withTaint }, claim("c", [exactly("x", 2)])), ["x=half-0", "x=half-1"])
  })

  it("make a pool invalid that lacks the counters", () => {
    const unknown = [slice("a", [part("whole", "1")])]
    assert.strictEqual(
      devicesOf({ slices: unknown }, claim("c", [exactly("x")])),
      "invalid resource pools were encountered"
    )
  })
})

describe("devices that claims share", () => {
  const requestPolicy = { default: "1Gi", validRange: { min: "1Gi", step: "1Gi", max: "8Gi" } }
  const device: Device = {
    name: "gpu-0",
    allowMultipleAllocations: true,
    capacity: { memory: { value: "10Gi", requestPolicy } }
  }
  const slices = [slice("a", [device])]
  const asking = (name: string, memory?: string) =>
    claim(name, [exactly("x", 1, memory === undefined ? {} : { capacity: { requests: { memory } } })])
  const consumed = (...claims: Array<ResourceClaim>) =>
    allocationsOf(run({ slices }, ...claims)).map(({ devices }) => devices?.results?.[0]?.consumedCapacity?.memory)

  it("give each what it asks for, rounded up by the policy, or the default", () => {
    assert.deepStrictEqual(consumed(asking("c", "1500Mi"), asking("d")), ["2Gi", "1Gi"])
    assert.deepStrictEqual(consumed(asking("c", "8Gi"), asking("d", "2Gi")), ["8Gi", "2Gi"])
  })

  it("have a limit, and values that are not valid", () => {
    assert.strictEqual(devicesOf({ slices }, asking("c", "8Gi"), asking("d", "3Gi")), none)
    assert.strictEqual(devicesOf({ slices }, asking("c", "9Gi")), none)
    assert.strictEqual(
      devicesOf({ slices }, claim("c", [exactly("x", 1, { capacity: { requests: { cores: "1" } } })])),
      none
    )
    const used = [usedClaim("gpu-0", { shareID: "s", consumedCapacity: { memory: "8Gi" } })]
    assert.deepStrictEqual(devicesOf({ slices, used }, asking("c", "2Gi")), ["x=gpu-0"])
    assert.strictEqual(devicesOf({ slices, used }, asking("c", "3Gi")), none)
  })
})

describe("slices", () => {
  const shared = (more: object) => [slice(undefined, gpus(1), more)]
  const inZone = (zone: string) => ({
    nodeSelectorTerms: [
      { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In" as const, values: [zone] }] }
    ]
  })

  it("are for one node, for all, or for those that a selector matches", () => {
    const asks = claim("c", [exactly("x")])
    const selectorOf = (slices: ReadonlyArray<ResourceSlice>) => allocationsOf(run({ slices }, asks))[0]?.nodeSelector
    assert.deepStrictEqual(devicesOf({ slices: shared({ allNodes: true }) }, asks), ["x=gpu-0"])
    assert.strictEqual(selectorOf(shared({ allNodes: true })), undefined)
    assert.deepStrictEqual(selectorOf(shared({ nodeSelector: inZone("zone-a") })), inZone("zone-a"))
    assert.strictEqual(devicesOf({ slices: shared({ nodeSelector: inZone("zone-b") }) }, asks), none)
  })

  it("may say for each device where it is", () => {
    const devices: ReadonlyArray<Device> = [
      { name: "far", nodeName: "b" },
      { name: "near", nodeSelector: inZone("zone-a") },
      { name: "everywhere", allNodes: true }
    ]
    const slices = [slice(undefined, devices, { perDeviceNodeSelection: true })]
    assert.deepStrictEqual(devicesOf({ slices }, claim("c", [exactly("x", 2)])), ["x=near", "x=everywhere"])
    assert.strictEqual(devicesOf({ slices }, claim("c", [exactly("x", 3)])), none)
  })

  it("count in their newest generation, once it is complete", () => {
    const generation = (number: number, count: number, name: string) =>
      slice("a", [{ name: `gpu-${number}` }], {
        name,
        pool: { name: "a", generation: number, resourceSliceCount: count }
      })
    const asks = claim("c", [exactly("x")])
    assert.deepStrictEqual(devicesOf({ slices: [generation(1, 1, "old"), generation(2, 1, "new")] }, asks), ["x=gpu-2"])
    assert.strictEqual(devicesOf({ slices: [generation(1, 1, "old"), generation(2, 2, "new")] }, asks), none)
  })

  it("with devices that have binding conditions come last", () => {
    const conditional = slice("a", [{ name: "slow", bindingConditions: ["Attached"] }], {
      driver: "a.example.com",
      name: "s"
    })
    const slices = [conditional, ...onA.slices]
    assert.deepStrictEqual(devicesOf({ slices }, claim("c", [exactly("x")])), ["x=gpu-0"])
  })
})

describe("a search", () => {
  it("ends when it takes too long, which it looks at from time to time", () => {
    const attributes = (index: number) => ({ model: { string: `m-${index}` } })
    const devices = gpus(40).map((device, index) => ({ ...device, attributes: attributes(index) }))
    const slices = new Slices()
    slices.set("a-slice", slice("a", devices))
    const classes = new Map([["gpu", deviceClass("gpu")]])
    const asks = claim("c", [exactly("x", 3)], { constraints: [{ matchAttribute: "gpu.example.com/model" }] })
    let looks = 0
    const isOverdue = () => ++looks > 2
    const inventory = { classes, slices, usage: new AllocatedDevices(), selectors: new Selectors(), isOverdue }
    const message = "node a: timed out trying to allocate devices"
    assert.throws(() => allocate(inventory, nodeNamed("a"), [asks]), message)
    assert.strictEqual(looks, 3)
  })
})

describe("configurations", () => {
  it("of classes come before those of the claim, each with the requests that it is for", () => {
    const opaque = (of: string) => ({ opaque: { driver: DRIVER, parameters: { of } } })
    const classes = [deviceClass("gpu", undefined, { config: [opaque("class")] })]
    const config = [{ requests: ["y"], ...opaque("y") }, opaque("all")]
    const asks = claim("c", [exactly("x"), exactly("y")], { config })
    assert.deepStrictEqual(allocationsOf(run({ ...onA, classes }, asks))[0]?.devices?.config, [
      { source: "FromClass", requests: ["x", "y"], ...opaque("class") },
      { source: "FromClaim", requests: ["y"], ...opaque("y") },
      { source: "FromClaim", ...opaque("all") }
    ])
  })
})
