import type { Node } from "@rollcall/api"
import * as Result from "effect/Result"
import { CidrSet, type CidrSetMeter } from "./CidrSet.ts"
import { formatRange, type IPRange, parseRange } from "./IPRange.ts"
import type { IpamPlan } from "./IpamPlan.ts"

/** Why a node could not be seen to; the event tells of it on the node. */
export interface SyncFailure {
  readonly message: string
  readonly event?: "CIDRNotAvailable"
}

/** Blocks that were taken for a node and are not written to it yet: one of each range, in their order. */
export type Proposal = ReadonlyArray<IPRange>

/** What to do with a proposal, by what the node looks like now. */
export type Settlement = "gone" | "written" | "other" | "write"

const podCIDRsOf = ({ spec }: Node): ReadonlyArray<string> => spec?.podCIDRs ?? []

const nameOf = ({ metadata }: Node): string => metadata.name ?? ""

const noSuchRange = (node: Node, cidr: string, index: number): string =>
  `node:${nameOf(node)} has an allocated cidr: ${cidr} at index:${index} that does not exist in cluster cidrs configuration`

/**
 * Which node has which blocks, in memory only: one set of blocks a range, rebuilt from the nodes when it begins. Quirks are
 * upstream's: with two ranges a node that gets no block of the second keeps none of the first, which is taken all the same,
 * and again at each try. Upstream: pkg/controller/nodeipam/ipam/range_allocator.go.
 */
export class RangeAllocator {
  readonly sets: ReadonlyArray<CidrSet>

  private constructor(sets: ReadonlyArray<CidrSet>) {
    this.sets = sets
  }

  /** With the Services' ranges and the blocks of the nodes given taken. A node with blocks that do not fit is fatal. */
  static start(
    { ranges, services }: IpamPlan,
    nodes: ReadonlyArray<Node>,
    meterOf?: (cluster: IPRange, maxCIDRs: number) => CidrSetMeter
  ): Result.Result<RangeAllocator, string> {
    return Result.gen(function* () {
      const sets: Array<CidrSet> = []
      for (const { cluster, nodeMaskSize } of ranges) {
        sets.push(yield* CidrSet.make(cluster, nodeMaskSize, meterOf?.(cluster, 2 ** (nodeMaskSize - cluster.length))))
      }
      const allocator = new RangeAllocator(sets)
      for (const service of services) allocator.leaveOut(service)
      for (const node of nodes) yield* allocator.occupy(node)
      return allocator
    })
  }

  /** Takes what the node has; or takes blocks for a node that has none, to be written to it. */
  allocateOrOccupy(node: Node): Result.Result<Proposal | undefined, SyncFailure> {
    if (podCIDRsOf(node).length > 0) {
      return Result.mapBoth(this.occupy(node), { onSuccess: () => undefined, onFailure: (message) => ({ message }) })
    }
    const proposal: Array<IPRange> = []
    for (const [index, set] of this.sets.entries()) {
      const block = set.allocate()
      if (Result.isFailure(block)) {
        const message = `failed to allocate cidr from cluster cidr at idx:${index}: ${block.failure}`
        return Result.fail({ message, event: "CIDRNotAvailable" })
      }
      proposal.push(block.success)
    }
    return Result.succeed(proposal)
  }

  /** What becomes of a proposal when the node is looked at again; blocks of a node that has others are free at once. */
  settle(proposal: Proposal, node: Node | undefined): Settlement {
    if (node === undefined) return "gone"
    const present = podCIDRsOf(node)
    if (present.length === 0) return "write"
    const proposed = proposal.map(formatRange)
    if (present.length === proposed.length && present.every((cidr, index) => cidr === proposed[index])) return "written"
    this.giveBack(proposal)
    return "other"
  }

  /** Frees the blocks of a proposal that could not be written. */
  giveBack(proposal: Proposal): void {
    for (const [index, block] of proposal.entries()) this.sets[index]?.release(block)
  }

  /** Frees the blocks of a node that is gone; what is wrong with one keeps those after it taken. */
  release(node: Node): Result.Result<void, string> {
    for (const [index, cidr] of podCIDRsOf(node).entries()) {
      const range = parseRange(cidr)
      if (range === undefined) {
        return Result.fail(`failed to parse CIDR ${cidr} on Node ${nameOf(node)}: invalid CIDR address: ${cidr}`)
      }
      const set = this.sets[index]
      if (set === undefined) return Result.fail(noSuchRange(node, cidr, index))
      const released = set.release(range)
      if (Result.isFailure(released)) return Result.fail(`error when releasing CIDR ${cidr}: ${released.failure}`)
    }
    return Result.succeed(undefined)
  }

  private occupy(node: Node): Result.Result<void, string> {
    for (const [index, cidr] of podCIDRsOf(node).entries()) {
      const range = parseRange(cidr)
      if (range === undefined) {
        return Result.fail(`failed to parse node ${nameOf(node)}, CIDR ${node.spec?.podCIDR ?? ""}`)
      }
      const set = this.sets[index]
      if (set === undefined) return Result.fail(noSuchRange(node, cidr, index))
      const occupied = set.occupy(range)
      if (Result.isFailure(occupied)) {
        const which = `cidr[${formatRange(range)}] at idx [${index}]`
        return Result.fail(`failed to mark ${which} as occupied for node: ${nameOf(node)}: ${occupied.failure}`)
      }
    }
    return Result.succeed(undefined)
  }

  /** A set that has no part of the range refuses it, and stays as it is. */
  private leaveOut(service: IPRange): void {
    for (const set of this.sets) set.occupy(service)
  }
}

/** The patch that gives a node its blocks. */
export const podCIDRsPatch = (proposal: Proposal): { readonly spec: NonNullable<Node["spec"]> } => {
  const podCIDRs = proposal.map(formatRange)
  const [podCIDR = ""] = podCIDRs
  return { spec: { podCIDR, podCIDRs } }
}
