import type { Node } from "@rollcall/api"
import { Cluster, ConnectionError } from "@rollcall/cluster"
import { refused } from "@rollcall/cluster/testing"
import { makeVirtualTime } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { assert, describe, it } from "vitest"
import {
  ControllerInformers,
  defaultIpamFlags,
  Fatal,
  ipamPlan,
  NodeIpamController,
  noObserver,
  Observer
} from "../../src/index.ts"
import type { NodeIpamControllerShape } from "../../src/ipam/NodeIpamController.ts"
import { NodeApi } from "../NodeApi.ts"

const START_MS = 1_767_225_600_000

/** The controller against an API of its own, in virtual time. */
class World {
  readonly time = makeVirtualTime(START_MS)
  readonly api = new NodeApi(this.time.timers)
  readonly log: Array<string> = []
  private readonly clusterCIDR: string
  private scope: Scope.Closeable | undefined
  controller: NodeIpamControllerShape | undefined

  constructor(clusterCIDR = "10.0.0.0/16") {
    this.clusterCIDR = clusterCIDR
  }

  add(name: string, podCIDRs?: ReadonlyArray<string>): void {
    const spec = podCIDRs === undefined ? {} : { podCIDR: podCIDRs[0] ?? "", podCIDRs }
    const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name, uid: `uid-${name}` }, spec }
    this.api.put("Node", node)
  }

  start(): void {
    const plan = Result.getOrThrow(
      ipamPlan({ ...defaultIpamFlags, allocateNodeCIDRs: true, clusterCIDR: this.clusterCIDR })
    )
    if (plan === undefined) throw new Error("nothing to allocate")
    const client = Cluster.layerConnection(this.api.connection)
    const layer = NodeIpamController.layer(plan).pipe(Layer.provide(ControllerInformers.layer), Layer.provide(client))
    const say = (what: string) => void this.log.push(`${this.seconds} ${what}`)
    const built = this.time.run(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        return { scope, context: yield* Layer.buildWithScope(layer, scope) }
      }).pipe(
        Effect.provideService(Observer, {
          ...noObserver,
          cidrsAssigned: ({ cidrs, node }) => say(`${node} has ${cidrs}`),
          cidrsReleased: ({ cidrs, node }) => say(`${node} had ${cidrs}`)
        }),
        Effect.provideService(Fatal, (_, message) => Effect.sync(() => say(message))),
        Random.withSeed("ipam")
      )
    )
    if (Exit.isFailure(built)) throw new Error(String(built.cause))
    this.scope = built.value.scope
    this.controller = Context.get(built.value.context, NodeIpamController)
  }

  stop(): void {
    if (this.scope !== undefined) this.time.run(Scope.close(this.scope, Exit.void))
  }

  get seconds(): number {
    return (this.time.timers.now() - START_MS) / 1000
  }

  runTo(seconds: number): void {
    this.time.runUntil(START_MS + seconds * 1000)
  }

  podCIDRs(name: string): ReadonlyArray<string> | undefined {
    return this.api.node(name).spec?.podCIDRs
  }

  get taken(): number | undefined {
    return this.controller?.usage()[0]?.allocated
  }
}

describe("the node IPAM controller", () => {
  it("occupies the blocks of existing nodes, and allocates blocks to nodes without any and to new ones", () => {
    const world = new World("10.0.0.0/16,fd00::/48")
    world.add("old", ["10.0.0.0/24", "fd00::/64"])
    world.add("new")
    world.start()
    world.runTo(1)
    world.add("late")
    world.runTo(2)
    assert.deepStrictEqual(world.podCIDRs("old"), ["10.0.0.0/24", "fd00::/64"])
    assert.deepStrictEqual(world.podCIDRs("new"), ["10.0.1.0/24", "fd00:0:0:1::/64"])
    assert.deepStrictEqual(world.podCIDRs("late"), ["10.0.2.0/24", "fd00:0:0:2::/64"])
    assert.strictEqual(world.api.node("late").spec?.podCIDR, "10.0.2.0/24")
    assert.deepStrictEqual(world.controller?.usage(), [
      { clusterCIDR: "10.0.0.0/16", maxCIDRs: 256, allocated: 3 },
      { clusterCIDR: "fd00::/48", maxCIDRs: 65_536, allocated: 3 }
    ])
    world.stop()
  })

  it("frees a node's blocks when it is deleted; a new leader fills the gap first", () => {
    const world = new World()
    for (const name of ["a", "b"]) world.add(name)
    world.start()
    world.runTo(1)
    world.api.remove("Node", "a")
    world.runTo(2)
    world.add("c")
    world.runTo(3)
    assert.deepStrictEqual(world.log, [
      "0 a has 10.0.0.0/24",
      "0 b has 10.0.1.0/24",
      "1 a had 10.0.0.0/24",
      "2 c has 10.0.2.0/24"
    ])
    world.stop()
    world.start()
    world.add("d")
    world.runTo(4)
    assert.deepStrictEqual(world.podCIDRs("d"), ["10.0.0.0/24"])
    world.stop()
  })

  it("leaves a node that is on its way out alone", () => {
    const world = new World()
    world.add("a")
    const node = world.api.node("a")
    world.api.put("Node", { ...node, metadata: { ...node.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } })
    world.start()
    world.runTo(10)
    assert.isUndefined(world.podCIDRs("a"))
    assert.strictEqual(world.taken, 0)
    world.stop()
  })

  it("tries to write three times, records the failure, and retries with other blocks", () => {
    const world = new World()
    world.add("a")
    const asked: Array<number> = []
    world.api.intercept = (request) => {
      if (request.kind !== "Node" || request.verb !== "patch") return undefined
      asked.push(world.seconds)
      return asked.length <= 4 ? refused(500, "InternalError") : undefined
    }
    world.start()
    world.runTo(1)
    assert.deepStrictEqual(asked, [0, 0, 0, 0.005, 0.005])
    assert.deepStrictEqual(
      world.api.events.map(({ message, reason }) => [reason, message]),
      [["CIDRAssignmentFailed", "Node a status is now: CIDRAssignmentFailed"]]
    )
    assert.deepStrictEqual(world.podCIDRs("a"), ["10.0.1.0/24"])
    assert.strictEqual(world.taken, 1)
    world.stop()
  })

  it("allocates no other blocks to a node while the watch lags behind its write", () => {
    const world = new World()
    world.add("a")
    const node = world.api.node("a")
    let patches = 0
    world.api.intercept = ({ kind, verb }) => {
      if (kind !== "Node" || verb !== "patch") return undefined
      patches++
      return Result.succeed({ ...node, spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] } })
    }
    world.start()
    world.runTo(1)
    world.api.put("Node", { ...node, metadata: { ...node.metadata, labels: { a: "b" } } })
    world.runTo(2)
    assert.strictEqual(patches, 1)
    world.add("a", ["10.0.0.0/24"])
    world.runTo(3)
    assert.strictEqual(world.taken, 1)
    world.api.remove("Node", "a")
    world.runTo(4)
    assert.strictEqual(world.taken, 0)
    assert.deepStrictEqual(world.log, ["0 a has 10.0.0.0/24", "3 a had 10.0.0.0/24"])
    assert.deepStrictEqual(world.api.events, [])
    world.stop()
  })

  it("records no failure for a node that another writer served, or when only the response was lost", () => {
    const world = new World()
    for (const name of ["a", "b"]) world.add(name)
    let lost = 0
    world.api.intercept = (request) => {
      if (request.kind !== "Node" || request.verb !== "patch") return undefined
      const node = world.api.node(request.name)
      const given = (node.spec?.podCIDRs ?? []).length > 0
      if (request.name === "a") {
        if (!given) world.add("a", ["10.0.9.0/24"])
        return refused(422, "Invalid")
      }
      if (!given) world.api.put("Node", { ...node, ...(request.body as Partial<Node>) })
      lost++
      return Result.fail(new ConnectionError({ message: "cut" }))
    }
    world.start()
    world.runTo(10)
    assert.strictEqual(lost, 3)
    assert.deepStrictEqual(world.api.events, [])
    assert.deepStrictEqual(world.podCIDRs("a"), ["10.0.9.0/24"])
    assert.deepStrictEqual(world.log, ["0 b has 10.0.1.0/24"])
    assert.strictEqual(world.taken, 2)
    world.stop()
  })

  it("keeps the blocks of a request whose outcome is not known, and writes the same ones later", () => {
    const world = new World()
    world.add("a")
    let away = true
    world.api.intercept = ({ kind, verb }) =>
      away && kind === "Node" && (verb === "patch" || verb === "get")
        ? Result.fail(new ConnectionError({ message: "cut" }))
        : undefined
    world.start()
    world.runTo(5)
    assert.strictEqual(world.taken, 1)
    away = false
    world.runTo(60)
    assert.deepStrictEqual(world.podCIDRs("a"), ["10.0.0.0/24"])
    assert.strictEqual(world.taken, 1)
    assert.deepStrictEqual(world.api.events, [])
    world.stop()
  })

  it("records exhaustion with growing delays, and continues when a node is deleted", () => {
    const world = new World("10.0.0.0/23")
    for (const name of ["a", "b", "c"]) world.add(name)
    world.start()
    world.runTo(4)
    assert.deepStrictEqual(
      world.api.events.slice(0, 4).map(({ about, at, reason }) => [about, (at - START_MS) / 1000, reason]),
      [0, 0.005, 0.015, 0.035].map((at) => ["c", at, "CIDRNotAvailable"])
    )
    assert.isUndefined(world.podCIDRs("c"))
    world.api.remove("Node", "b")
    world.runTo(10)
    assert.deepStrictEqual(world.podCIDRs("c"), ["10.0.1.0/24"])
    world.stop()
  })

  it("starts when the API responds, and fails after ten minutes", () => {
    const away = () => refused(503, "ServiceUnavailable")
    const world = new World()
    world.add("a")
    world.api.intercept = ({ kind, verb }) =>
      kind === "Node" && verb === "list" && world.seconds < 25 ? away() : undefined
    world.start()
    world.runTo(60)
    // The informer comes back when it likes.
    assert.match(world.log.join(), /^3\d\S* a has 10\.0\.0\.0\/24$/)
    world.stop()

    const never = new World()
    never.api.intercept = ({ kind, verb }) => (kind === "Node" && verb === "list" ? away() : undefined)
    never.start()
    never.runTo(599)
    assert.deepStrictEqual(never.log, [])
    never.runTo(601)
    assert.deepStrictEqual(never.log, [
      "600 failed to list all nodes in 10m0s, cannot proceed without updating CIDR map"
    ])
    never.stop()
  })
})
