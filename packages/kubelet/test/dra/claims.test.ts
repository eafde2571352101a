import type { ResourceClaim } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import type { DeviceDriver, DeviceDriversShape, DeviceHealth, HealthListener } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

type TestNode = ReturnType<typeof setUpKubelet>

const DRIVER = "gpu.example.com"

/** Drivers that log their calls, and fail as long as `problem` is set. */
const makeDrivers = (known: ReadonlyArray<string> = [DRIVER]) => {
  const calls: Array<string> = []
  const state: { problem: string | undefined } = { problem: undefined }
  const drivers: DeviceDriversShape = {
    of: (node, driver) =>
      known.includes(driver)
        ? {
            prepare: (claim, done) => {
              calls.push(`prepare ${claim.metadata.name} on ${node}`)
              done(state.problem)
            },
            unprepare: (claim, done) => {
              calls.push(`unprepare ${claim.metadata.name}`)
              done(state.problem)
            }
          }
        : undefined
  }
  return { calls, state, drivers }
}

const setUp = (drivers: DeviceDriversShape) => {
  const events: Array<string> = []
  const recorder = {
    event: (_: unknown, type: string, reason: string, message: string) =>
      void events.push(`${type} ${reason} ${message}`)
  }
  const testNode = setUpKubelet({ deviceDrivers: drivers, recorder })
  testNode.kubelet.startKubelet()
  testNode.untilMs(5_000)
  return { ...testNode, events: () => events.filter((event) => event.includes("DynamicResources")) }
}

const spec = { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } }

const createClaim = ({ api }: Pick<TestNode, "api">, name: string): ResourceClaim =>
  api.ask({
    verb: "create",
    kind: "ResourceClaim",
    namespace: "default",
    object: { apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: { name, namespace: "default" }, spec }
  }) as ResourceClaim

/** Allocates a device to the claim, for pods. */
const allocate = ({ api }: Pick<TestNode, "api">, claim: ResourceClaim, ...pods: ReadonlyArray<string>): void => {
  const results = [{ request: "r", driver: DRIVER, pool: "n1", device: `of-${claim.metadata.name}` }]
  const reservedFor = pods.map((name) => ({ resource: "pods", name, uid: api.pod(name)?.metadata.uid ?? "" }))
  const object = { ...claim, status: { allocation: { devices: { results } }, reservedFor } }
  const { name = "" } = claim.metadata
  api.ask({ verb: "update", kind: "ResourceClaim", namespace: "default", name, subresource: "status", object })
}

const createPod = ({ api }: Pick<TestNode, "api">, name: string, resourceClaimName: string) =>
  api.createPod(name, "n1", { resourceClaims: [{ name: "gpu", resourceClaimName }] })

const phases = ({ api }: Pick<TestNode, "api">, ...pods: ReadonlyArray<string>) =>
  pods.map((name) => api.pod(name)?.status?.phase)
const remove = ({ api }: Pick<TestNode, "api">, name: string) =>
  api.ask({ verb: "delete", kind: "Pod", namespace: "default", name, options: { gracePeriodSeconds: 1 } })

describe("a pod with claims", () => {
  it("runs once they are prepared, and they are unprepared before it is seen to have ended", () => {
    const { calls, drivers } = makeDrivers()
    const node = setUp(drivers)
    const claim = createClaim(node, "c")
    createPod(node, "p", "c")
    allocate(node, claim, "p")
    node.untilMs(10_000)
    assert.deepStrictEqual(phases(node, "p"), ["Running"])
    assert.deepStrictEqual(calls, ["prepare c on n1"])
    remove(node, "p")
    node.untilMs(20_000)
    assert.deepStrictEqual(calls, ["prepare c on n1", "unprepare c"])
    assert.strictEqual(node.api.pod("p"), undefined)
  })

  it("shows the devices of each container that uses them, whose health no driver reports", () => {
    const node = setUp(makeDrivers().drivers)
    const claim = createClaim(node, "c")
    const using = (name: string, claims?: ReadonlyArray<object>) => ({ name, image: "x", resources: { claims } })
    const containers = [
      using("whole", [{ name: "gpu" }]),
      using("request", [{ name: "gpu", request: "r" }]),
      using("other", [{ name: "gpu", request: "s" }]),
      using("none")
    ]
    const resourceClaims = [{ name: "gpu", resourceClaimName: "c" }]
    node.api.createPod("p", "n1", { resourceClaims, containers: containers as never })
    allocate(node, claim, "p")
    node.untilMs(10_000)
    const resources = [{ resourceID: `${DRIVER}/n1/of-c`, health: "Unknown" }]
    assert.deepStrictEqual(
      node.api.pod("p")?.status?.containerStatuses?.map((one) => [one.name, one.allocatedResourcesStatus]),
      [
        ["whole", [{ name: "claim:gpu", resources }]],
        ["request", [{ name: "claim:gpu/r", resources }]],
        ["other", undefined],
        ["none", undefined]
      ]
    )
  })

  it("shows how its devices are while the driver says so, under the names that it has given them", () => {
    let listener: HealthListener = () => assert.fail("no listener")
    const device = { requestNames: ["r"], poolName: "n1", deviceName: "of-c", cdiDeviceIDs: ["gpu.example.com/x=c"] }
    const driver: DeviceDriver = { prepare: (_, done) => done(undefined, [device]), unprepare: (_, done) => done() }
    const node = setUp({ of: () => driver, watchHealth: (_, told) => (listener = told) })
    const report = (health: DeviceHealth["health"], more: Partial<DeviceHealth> = {}) =>
      listener(DRIVER, [{ poolName: "n1", deviceName: "of-c", health, ...more }])
    // Before there is a pod.
    report("Healthy", { timeoutMs: 40_000 })
    const claim = createClaim(node, "c")
    const containers = [{ name: "c", image: "x", resources: { claims: [{ name: "gpu" }] } }]
    const resourceClaims = [{ name: "gpu", resourceClaimName: "c" }]
    node.api.createPod("p", "n1", { resourceClaims, containers: containers as never })
    allocate(node, claim, "p")
    const shown = (atMs: number) => {
      node.untilMs(atMs)
      const [status] = node.api.pod("p")?.status?.containerStatuses ?? []
      return status?.allocatedResourcesStatus?.[0]?.resources?.[0]
    }
    const resourceID = "gpu.example.com/x=c"
    const pod = node.api.pod("p") ?? assert.fail("no pod")
    assert.deepStrictEqual(node.kubelet.claimsOf(pod, "c"), [], "not prepared yet")
    node.untilMs(19_000)
    assert.deepStrictEqual(node.kubelet.claimsOf(pod, "c"), [
      { name: "c", namespace: "default", devices: [[DRIVER, device]] }
    ])
    assert.deepStrictEqual(node.kubelet.claimsOf(pod, "other"), [])
    assert.deepStrictEqual(shown(20_000), { resourceID, health: "Healthy" })
    report("Unhealthy", { message: "too hot" })
    assert.deepStrictEqual(shown(21_000), { resourceID, health: "Unhealthy", message: "too hot" })
    report("Unhealthy", { message: "too hot" })
    assert.deepStrictEqual(shown(50_000), { resourceID, health: "Unhealthy", message: "too hot" })
    // Nothing for 30 s, the default.
    assert.deepStrictEqual(shown(52_000), { resourceID, health: "Unknown" })
    report("Healthy", { timeoutMs: 3_600_000 })
    assert.deepStrictEqual(shown(53_000), { resourceID, health: "Healthy" })
    listener(DRIVER, undefined)
    assert.deepStrictEqual(shown(115_000), { resourceID, health: "Unknown" })
  })

  it("never runs while a claim does not exist, is not reserved for it, or has no driver", () => {
    const node = setUp(makeDrivers([]).drivers)
    createPod(node, "p", "c")
    node.untilMs(40_000)
    const failed =
      "Warning FailedPrepareDynamicResources Failed to prepare dynamic resources: prepare dynamic resources:"
    assert.isAtLeast(node.events().length, 2)
    const missing = 'fetch ResourceClaim c: resourceclaims.resource.k8s.io "c" not found'
    for (const event of node.events()) assert.strictEqual(event, `${failed} ${missing}`)
    const claim = createClaim(node, "c")
    node.untilMs(60_000)
    const { uid } = node.api.pod("p")?.metadata ?? {}
    assert.strictEqual(
      node.events().at(-1),
      `${failed} pod p (${uid}) is not allowed to use ResourceClaim c (${claim.metadata.uid})`
    )
    allocate(node, claim, "p")
    node.untilMs(80_000)
    assert.strictEqual(node.events().at(-1), `${failed} DRA driver ${DRIVER} is not registered`)
    assert.deepStrictEqual(phases(node, "p"), ["Pending"])
    remove(node, "p")
    node.untilMs(100_000)
    assert.strictEqual(node.api.pod("p"), undefined)
  })

  it("waits for a driver that fails, and goes when it is deleted meanwhile", () => {
    const { calls, drivers, state } = makeDrivers()
    const node = setUp(drivers)
    state.problem = "no power"
    for (const name of ["p", "q"]) {
      const claim = createClaim(node, `of-${name}`)
      createPod(node, name, `of-${name}`)
      allocate(node, claim, name)
    }
    node.untilMs(30_000)
    assert.match(node.events()[0] ?? "", /NodePrepareResources failed for ResourceClaim of-[pq]: no power$/)
    remove(node, "q")
    state.problem = undefined
    node.untilMs(50_000)
    assert.deepStrictEqual(phases(node, "p", "q"), ["Running", undefined])
    assert.strictEqual(calls.at(-1), "prepare of-p on n1")
  })

  it("shares a claim with others of the node: it is prepared once, and unprepared after the last", () => {
    const { calls, drivers } = makeDrivers()
    const node = setUp(drivers)
    const claim = createClaim(node, "c")
    for (const name of ["p", "q"]) createPod(node, name, "c")
    allocate(node, claim, "p", "q")
    node.untilMs(10_000)
    remove(node, "p")
    node.untilMs(20_000)
    assert.deepStrictEqual(calls, ["prepare c on n1"])
    assert.deepStrictEqual(phases(node, "p", "q"), [undefined, "Running"])
    remove(node, "q")
    node.untilMs(30_000)
    assert.deepStrictEqual(calls, ["prepare c on n1", "unprepare c"])
  })

  it("stays as long as a claim cannot be unprepared", () => {
    const { drivers, state } = makeDrivers()
    const node = setUp(drivers)
    const claim = createClaim(node, "c")
    createPod(node, "p", "c")
    allocate(node, claim, "p")
    node.untilMs(10_000)
    state.problem = "busy"
    remove(node, "p")
    node.untilMs(60_000)
    assert.isDefined(node.api.pod("p"))
    state.problem = undefined
    node.untilMs(80_000)
    assert.strictEqual(node.api.pod("p"), undefined)
  })

  it("is prepared again after its machine lost power", () => {
    const { calls, drivers } = makeDrivers()
    const node = setUp(drivers)
    const claim = createClaim(node, "c")
    createPod(node, "p", "c")
    allocate(node, claim, "p")
    node.untilMs(10_000)
    node.kubelet.powerLost()
    node.untilMs(20_000)
    node.boot()
    node.untilMs(60_000)
    assert.deepStrictEqual(phases(node, "p"), ["Running"])
    assert.deepStrictEqual(calls, ["prepare c on n1", "prepare c on n1"])
  })
})
