import type { Node } from "@rollcall/api"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { defaultIpamFlags, type IpamPlan, ipamPlan, RangeAllocator } from "../../src/index.ts"
import { formatRange, podCIDRsPatch } from "../../src/rules.ts"

const planOf = (clusterCIDR: string, sizes: Partial<typeof defaultIpamFlags> = {}): IpamPlan =>
  Result.getOrThrow(ipamPlan({ ...defaultIpamFlags, allocateNodeCIDRs: true, clusterCIDR, ...sizes })) ??
  assert.fail("nothing to allocate")

const nodeOf = (name: string, podCIDRs?: ReadonlyArray<string>): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  spec: podCIDRs === undefined ? {} : { podCIDR: podCIDRs[0] ?? "", podCIDRs }
})

/** The API's nodes, and an allocator that sees them come and go. */
class Cluster {
  readonly nodes = new Map<string, Node>()
  private readonly plan: IpamPlan
  allocator: RangeAllocator

  constructor(plan: IpamPlan) {
    this.plan = plan
    this.allocator = Result.getOrThrow(RangeAllocator.start(plan, []))
  }

  add(name: string): string {
    const node = nodeOf(name)
    this.nodes.set(name, node)
    const outcome = this.allocator.allocateOrOccupy(node)
    if (Result.isFailure(outcome)) return outcome.failure.message
    const proposal = outcome.success ?? []
    assert.strictEqual(this.allocator.reconcileProposal(proposal, node), "write")
    this.nodes.set(name, { ...node, ...podCIDRsPatch(proposal) })
    return ""
  }

  remove(name: string): void {
    const node = this.nodes.get(name)
    this.nodes.delete(name)
    if (node !== undefined) Result.getOrThrow(this.allocator.release(node))
  }

  restart(): void {
    this.allocator = Result.getOrThrow(RangeAllocator.start(this.plan, [...this.nodes.values()]))
  }

  get blocks(): ReadonlyArray<ReadonlyArray<string>> {
    return [...this.nodes.values()].flatMap(({ spec }) => (spec?.podCIDRs === undefined ? [] : [spec.podCIDRs]))
  }
}

const histories = fc.array(
  fc.oneof(
    fc.record({ op: fc.constantFrom("add" as const, "remove" as const), name: fc.constantFrom(..."abcdefghij") }),
    fc.constant({ op: "restart" as const, name: "" })
  ),
  { maxLength: 80 }
)

describe("the range allocator", () => {
  it("allocates no block to two nodes, and pairs of one block each, in any history", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("10.0.0.0/21", "10.0.0.0/20,fd00::/60", "fd00::/60,10.0.0.0/21"),
        histories,
        (text, history) => {
          const plan = planOf(text)
          const cluster = new Cluster(plan)
          for (const { name, op } of history) {
            if (op === "restart") cluster.restart()
            else if (op === "remove") cluster.remove(name)
            else if (!cluster.nodes.has(name)) cluster.add(name)
            const all = cluster.blocks.flat()
            assert.strictEqual(new Set(all).size, all.length)
            for (const blocks of cluster.blocks) assert.strictEqual(blocks.length, plan.ranges.length)
          }
          // What no node has is free after a restart at the latest.
          cluster.restart()
          for (const { allocated } of cluster.allocator.sets) assert.strictEqual(allocated, cluster.blocks.length)
        }
      )
    )
  })

  it("releases a node's blocks, as long as no range is exhausted", () => {
    fc.assert(
      fc.property(histories, (history) => {
        const cluster = new Cluster(planOf("10.0.0.0/16,fd00::/56"))
        for (const { name, op } of history) {
          if (op === "remove") cluster.remove(name)
          else if (op === "add" && !cluster.nodes.has(name)) assert.strictEqual(cluster.add(name), "")
          for (const { allocated } of cluster.allocator.sets) assert.strictEqual(allocated, cluster.nodes.size)
        }
      })
    )
  })

  it("leaks a block of the first family at each try while the second is exhausted, until it restarts", () => {
    const cluster = new Cluster(planOf("10.0.0.0/21,fd00::/63"))
    for (const name of ["a", "b"]) assert.strictEqual(cluster.add(name), "")
    assert.include(cluster.add("c"), "failed to allocate cidr from cluster cidr at idx:1: CIDR allocation failed")
    assert.include(cluster.add("c"), "idx:1")
    assert.deepStrictEqual(
      cluster.allocator.sets.map(({ allocated }) => allocated),
      [4, 2]
    )
    for (let tries = 0; tries < 4; tries++) cluster.add("c")
    assert.include(cluster.add("c"), "idx:0")
    cluster.restart()
    assert.deepStrictEqual(
      cluster.allocator.sets.map(({ allocated }) => allocated),
      [2, 2]
    )
  })

  it("releases a proposal when the node has other blocks meanwhile, and keeps it when the node was deleted", () => {
    const allocator = Result.getOrThrow(RangeAllocator.start(planOf("10.0.0.0/16"), []))
    const proposal = () => Result.getOrThrow(allocator.allocateOrOccupy(nodeOf("a"))) ?? []
    const first = proposal()
    assert.strictEqual(allocator.reconcileProposal(first, nodeOf("a", ["10.0.0.0/24"])), "written")
    assert.strictEqual(allocator.sets[0]?.allocated, 1)
    assert.strictEqual(allocator.reconcileProposal(proposal(), nodeOf("a", ["10.0.7.0/24"])), "other")
    assert.strictEqual(allocator.sets[0]?.allocated, 1)
    assert.strictEqual(allocator.reconcileProposal(proposal(), undefined), "gone")
    assert.strictEqual(allocator.sets[0]?.allocated, 2)
  })

  it("stops releasing at an invalid block, and reports it", () => {
    const allocator = Result.getOrThrow(RangeAllocator.start(planOf("10.0.0.0/16,fd00::/56"), []))
    const messageOf = (...podCIDRs: ReadonlyArray<string>) => {
      const released = allocator.release(nodeOf("a", podCIDRs))
      return Result.isFailure(released) ? released.failure : ""
    }
    assert.strictEqual(messageOf("x", "fd00::/64"), "failed to parse CIDR x on Node a: invalid CIDR address: x")
    assert.strictEqual(
      messageOf("10.9.0.0/24"),
      "error when releasing CIDR 10.9.0.0/24: cidr 10.9.0.0/24 is out the range of cluster cidr 10.0.0.0/16"
    )
    assert.strictEqual(
      messageOf("10.0.0.0/24", "fd00::/64", "fd01::/64"),
      "node:a has an allocated cidr: fd01::/64 at index:2 that does not exist in cluster cidrs configuration"
    )
  })
})

describe("a range allocator that begins", () => {
  const start = (plan: IpamPlan, ...nodes: ReadonlyArray<Node>) => Result.merge(RangeAllocator.start(plan, nodes))
  const plan = planOf("10.0.0.0/16,fd00::/56")

  it("occupies the blocks of nodes and Services, in the ranges that contain them", () => {
    const services = { serviceCIDR: "10.0.0.0/23", secondaryServiceCIDR: "fd01::/108" }
    const allocator = Result.getOrThrow(
      RangeAllocator.start(planOf("10.0.0.0/16,fd00::/56", services), [
        nodeOf("a", ["10.0.2.0/24", "fd00::/64"]),
        nodeOf("b")
      ])
    )
    assert.deepStrictEqual(
      allocator.sets.map(({ allocated }) => allocated),
      [3, 1]
    )
    assert.deepStrictEqual((Result.getOrThrow(allocator.allocateOrOccupy(nodeOf("b"))) ?? []).map(formatRange), [
      "10.0.3.0/24",
      "fd00:0:0:1::/64"
    ])
  })

  it("refuses a node with a block outside its ranges, and names the block", () => {
    const bad: Node = { ...nodeOf("a"), spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["x"] } }
    assert.strictEqual(start(plan, bad), "failed to parse node a, CIDR 10.0.0.0/24")
    assert.strictEqual(start(plan, { ...bad, spec: { podCIDRs: ["x"] } }), "failed to parse node a, CIDR ")
    assert.strictEqual(
      start(plan, nodeOf("a", ["10.0.0.0/24", "fd00::/64", "fd00:0:0:1::/64"])),
      "node:a has an allocated cidr: fd00:0:0:1::/64 at index:2 that does not exist in cluster cidrs configuration"
    )
    assert.strictEqual(
      start(plan, nodeOf("a", ["10.1.0.1/24"])),
      "failed to mark cidr[10.1.0.0/24] at idx [0] as occupied for node: a: cidr 10.1.0.0/24 is out the range of cluster cidr 10.0.0.0/16"
    )
  })

  it("reports to each range's meter the number of blocks, and those in use", () => {
    const told: Array<string> = []
    const allocator = RangeAllocator.start(plan, [nodeOf("a", ["10.0.0.0/24"])], (cluster, maxCIDRs) => {
      const note = (what: string) => (value: number) => void told.push(`${formatRange(cluster)} ${what} ${value}`)
      told.push(`${formatRange(cluster)} of ${maxCIDRs}`)
      return {
        allocated: note("allocated"),
        released: note("released"),
        skipped: note("skipped"),
        usage: note("usage")
      }
    })
    assert.isTrue(Result.isSuccess(allocator))
    assert.deepStrictEqual(told, [
      "10.0.0.0/16 of 256",
      "fd00::/56 of 256",
      "10.0.0.0/16 allocated 1",
      `10.0.0.0/16 usage ${1 / 256}`
    ])
  })
})

describe("a node that the allocator sees to", () => {
  const begin = () => Result.getOrThrow(RangeAllocator.start(planOf("10.0.0.0/16,fd00::/56"), []))

  it("keeps its blocks; if they are invalid, an error is returned without an Event", () => {
    const allocator = begin()
    assert.isUndefined(Result.getOrThrow(allocator.allocateOrOccupy(nodeOf("a", ["10.0.0.0/24", "fd00::/64"]))))
    assert.deepStrictEqual(
      allocator.sets.map(({ allocated }) => allocated),
      [1, 1]
    )
    assert.deepStrictEqual(Result.merge(allocator.allocateOrOccupy(nodeOf("a", ["x"]))), {
      message: "failed to parse node a, CIDR x"
    })
    const { spec: _, ...bare } = nodeOf("b")
    assert.lengthOf(Result.getOrThrow(allocator.allocateOrOccupy(bare)) ?? [], 2)
  })

  it("gets an Event when no block is left", () => {
    const allocator = Result.getOrThrow(RangeAllocator.start(planOf("10.0.0.0/24"), [nodeOf("a", ["10.0.0.0/24"])]))
    assert.deepStrictEqual(Result.merge(allocator.allocateOrOccupy(nodeOf("b"))), {
      message:
        "failed to allocate cidr from cluster cidr at idx:0: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range",
      event: "CIDRNotAvailable"
    })
  })

  it("has other blocks when only one of the two equals the proposal, or one is missing", () => {
    for (const present of [["10.0.0.0/24", "fd00:0:0:9::/64"], ["10.0.0.0/24"]]) {
      const allocator = begin()
      const proposal = Result.getOrThrow(allocator.allocateOrOccupy(nodeOf("a"))) ?? []
      assert.strictEqual(allocator.reconcileProposal(proposal, nodeOf("a", present)), "other")
      assert.deepStrictEqual(
        allocator.sets.map(({ allocated }) => allocated),
        [0, 0]
      )
    }
  })

  it("is written the first block as podCIDR, and both as podCIDRs", () => {
    const proposal = Result.getOrThrow(begin().allocateOrOccupy(nodeOf("a"))) ?? []
    assert.deepStrictEqual(podCIDRsPatch(proposal), {
      spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24", "fd00::/64"] }
    })
  })
})

describe("the plan of a range allocator", () => {
  const refusal = (flags: Partial<typeof defaultIpamFlags>) => {
    const plan = ipamPlan({ ...defaultIpamFlags, allocateNodeCIDRs: true, ...flags })
    return Result.isFailure(plan) ? plan.failure : plan.success
  }

  it("takes blanks around the list, and service ranges that cannot be read for none", () => {
    assert.deepStrictEqual(planOf(" 10.0.0.0/16 ").ranges.length, 1)
    assert.deepStrictEqual(
      planOf("10.0.0.0/16", { serviceCIDR: "x", secondaryServiceCIDR: "10.1.0.0/16" }).services.length,
      1
    )
  })

  it("refuses masks longer than addresses, and validates nothing when nothing is to be allocated", () => {
    assert.include(refusal({ clusterCIDR: "10.0.0.0/16", nodeCIDRMaskSize: 33 }), "33 is more than")
    assert.isUndefined(Result.getOrThrow(ipamPlan({ ...defaultIpamFlags, clusterCIDR: "x" })))
  })
})
