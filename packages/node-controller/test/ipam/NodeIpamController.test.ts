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
class IpamTestCluster {
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
    const cluster = new IpamTestCluster("10.0.0.0/16,fd00::/48")
    cluster.add("old", ["10.0.0.0/24", "fd00::/64"])
    cluster.add("new")
    cluster.start()
    cluster.runTo(1)
    cluster.add("late")
    cluster.runTo(2)
    assert.deepStrictEqual(cluster.podCIDRs("old"), ["10.0.0.0/24", "fd00::/64"])
    assert.deepStrictEqual(cluster.podCIDRs("new"), ["10.0.1.0/24", "fd00:0:0:1::/64"])
    assert.deepStrictEqual(cluster.podCIDRs("late"), ["10.0.2.0/24", "fd00:0:0:2::/64"])
    assert.strictEqual(cluster.api.node("late").spec?.podCIDR, "10.0.2.0/24")
    assert.deepStrictEqual(cluster.controller?.usage(), [
      { clusterCIDR: "10.0.0.0/16", maxCIDRs: 256, allocated: 3 },
      { clusterCIDR: "fd00::/48", maxCIDRs: 65_536, allocated: 3 }
    ])
    cluster.stop()
  })

  it("frees a node's blocks when it is deleted; a new leader fills the gap first", () => {
    const cluster = new IpamTestCluster()
    for (const name of ["a", "b"]) cluster.add(name)
    cluster.start()
    cluster.runTo(1)
    cluster.api.remove("Node", "a")
    cluster.runTo(2)
    cluster.add("c")
    cluster.runTo(3)
    assert.deepStrictEqual(cluster.log, [
      "0 a has 10.0.0.0/24",
      "0 b has 10.0.1.0/24",
      "1 a had 10.0.0.0/24",
      "2 c has 10.0.2.0/24"
    ])
    cluster.stop()
    cluster.start()
    cluster.add("d")
    cluster.runTo(4)
    assert.deepStrictEqual(cluster.podCIDRs("d"), ["10.0.0.0/24"])
    cluster.stop()
  })

  it("leaves a node that is on its way out alone", () => {
    const cluster = new IpamTestCluster()
    cluster.add("a")
    const node = cluster.api.node("a")
    cluster.api.put("Node", { ...node, metadata: { ...node.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } })
    cluster.start()
    cluster.runTo(10)
    assert.isUndefined(cluster.podCIDRs("a"))
    assert.strictEqual(cluster.taken, 0)
    cluster.stop()
  })

  it("tries to write three times, records the failure, and retries with other blocks", () => {
    const cluster = new IpamTestCluster()
    cluster.add("a")
    const asked: Array<number> = []
    cluster.api.intercept = (request) => {
      if (request.kind !== "Node" || request.verb !== "patch") return undefined
      asked.push(cluster.seconds)
      return asked.length <= 4 ? refused(500, "InternalError") : undefined
    }
    cluster.start()
    cluster.runTo(1)
    assert.deepStrictEqual(asked, [0, 0, 0, 0.005, 0.005])
    assert.deepStrictEqual(
      cluster.api.events.map(({ message, reason }) => [reason, message]),
      [["CIDRAssignmentFailed", "Node a status is now: CIDRAssignmentFailed"]]
    )
    assert.deepStrictEqual(cluster.podCIDRs("a"), ["10.0.1.0/24"])
    assert.strictEqual(cluster.taken, 1)
    cluster.stop()
  })

  it("allocates no other blocks to a node while the watch lags behind its write", () => {
    const cluster = new IpamTestCluster()
    cluster.add("a")
    const node = cluster.api.node("a")
    let patches = 0
    cluster.api.intercept = ({ kind, verb }) => {
      if (kind !== "Node" || verb !== "patch") return undefined
      patches++
      return Result.succeed({ ...node, spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] } })
    }
    cluster.start()
    cluster.runTo(1)
    cluster.api.put("Node", { ...node, metadata: { ...node.metadata, labels: { a: "b" } } })
    cluster.runTo(2)
    assert.strictEqual(patches, 1)
    cluster.add("a", ["10.0.0.0/24"])
    cluster.runTo(3)
    assert.strictEqual(cluster.taken, 1)
    cluster.api.remove("Node", "a")
    cluster.runTo(4)
    assert.strictEqual(cluster.taken, 0)
    assert.deepStrictEqual(cluster.log, ["0 a has 10.0.0.0/24", "3 a had 10.0.0.0/24"])
    assert.deepStrictEqual(cluster.api.events, [])
    cluster.stop()
  })

  it("records no failure for a node that another writer served, or when only the response was lost", () => {
    const cluster = new IpamTestCluster()
    for (const name of ["a", "b"]) cluster.add(name)
    let lost = 0
    cluster.api.intercept = (request) => {
      if (request.kind !== "Node" || request.verb !== "patch") return undefined
      const node = cluster.api.node(request.name)
      const given = (node.spec?.podCIDRs ?? []).length > 0
      if (request.name === "a") {
        if (!given) cluster.add("a", ["10.0.9.0/24"])
        return refused(422, "Invalid")
      }
      if (!given) cluster.api.put("Node", { ...node, ...(request.body as Partial<Node>) })
      lost++
      return Result.fail(new ConnectionError({ message: "cut" }))
    }
    cluster.start()
    cluster.runTo(10)
    assert.strictEqual(lost, 3)
    assert.deepStrictEqual(cluster.api.events, [])
    assert.deepStrictEqual(cluster.podCIDRs("a"), ["10.0.9.0/24"])
    assert.deepStrictEqual(cluster.log, ["0 b has 10.0.1.0/24"])
    assert.strictEqual(cluster.taken, 2)
    cluster.stop()
  })

  it("keeps the blocks of a request whose outcome is not known, and writes the same ones later", () => {
    const cluster = new IpamTestCluster()
    cluster.add("a")
    let away = true
    cluster.api.intercept = ({ kind, verb }) =>
      away && kind === "Node" && (verb === "patch" || verb === "get")
        ? Result.fail(new ConnectionError({ message: "cut" }))
        : undefined
    cluster.start()
    cluster.runTo(5)
    assert.strictEqual(cluster.taken, 1)
    away = false
    cluster.runTo(60)
    assert.deepStrictEqual(cluster.podCIDRs("a"), ["10.0.0.0/24"])
    assert.strictEqual(cluster.taken, 1)
    assert.deepStrictEqual(cluster.api.events, [])
    cluster.stop()
  })

  it("records exhaustion with growing delays, and continues when a node is deleted", () => {
    const cluster = new IpamTestCluster("10.0.0.0/23")
    for (const name of ["a", "b", "c"]) cluster.add(name)
    cluster.start()
    cluster.runTo(4)
    assert.deepStrictEqual(
      cluster.api.events.slice(0, 4).map(({ about, at, reason }) => [about, (at - START_MS) / 1000, reason]),
      [0, 0.005, 0.015, 0.035].map((at) => ["c", at, "CIDRNotAvailable"])
    )
    assert.isUndefined(cluster.podCIDRs("c"))
    cluster.api.remove("Node", "b")
    cluster.runTo(10)
    assert.deepStrictEqual(cluster.podCIDRs("c"), ["10.0.1.0/24"])
    cluster.stop()
  })

  it("starts when the API responds, and fails after ten minutes", () => {
    const away = () => refused(503, "ServiceUnavailable")
    const cluster = new IpamTestCluster()
    cluster.add("a")
    cluster.api.intercept = ({ kind, verb }) =>
      kind === "Node" && verb === "list" && cluster.seconds < 25 ? away() : undefined
    cluster.start()
    cluster.runTo(60)
    // The informer comes back when it likes.
    assert.match(cluster.log.join(), /^3\d\S* a has 10\.0\.0\.0\/24$/)
    cluster.stop()

    const never = new IpamTestCluster()
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
