import type { Node } from "@rollcall/api"
import * as Result from "effect/Result"
import { CidrSet, type CidrSetMeter } from "./CidrSet.ts"
import { formatRange, type IPRange, parseRange } from "./IPRange.ts"
import type { IpamPlan } from "./IpamPlan.ts"

/** Why a node could not be synced; the Event reports it on the node. */
export interface SyncFailure {
  readonly message: string
  readonly event?: "CIDRNotAvailable"
}

/** Blocks allocated for a node and not written to it yet: one of each range, in their order. */
export type Proposal = ReadonlyArray<IPRange>

/** What a node's current state says about its proposal. */
export type ProposalOutcome =
  /** The node does not exist. */
  | "gone"
  /** The node has the proposal's blocks. */
  | "written"
  /** The node has other blocks, and the proposal's were released. */
  | "other"
  /** The node has no blocks, so the proposal must be written. */
  | "write"

const podCIDRsOf = ({ spec }: Node): ReadonlyArray<string> => spec?.podCIDRs ?? []

const nameOf = ({ metadata }: Node): string => metadata.name ?? ""

const noSuchRangeMessage = (node: Node, cidr: string, index: number): string =>
  `node:${nameOf(node)} has an allocated cidr: ${cidr} at index:${index} that does not exist in cluster cidrs configuration`

/**
 * Which node has which blocks, in memory only: one CidrSet per range, rebuilt from the nodes at the start. With
 * upstream's quirks: with two ranges a node that gets no block of the second keeps none of the first, which stays
 * allocated all the same, and again at each retry. Upstream: pkg/controller/nodeipam/ipam/range_allocator.go.
 */
export class RangeAllocator {
  readonly sets: ReadonlyArray<CidrSet>

  private constructor(sets: ReadonlyArray<CidrSet>) {
    this.sets = sets
  }

  /**
   * Makes an allocator in which the Services' ranges and the nodes' blocks are occupied. A node with blocks outside
   * the ranges is a fatal error.
   */
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
      for (const service of services) allocator.occupyService(service)
      for (const node of nodes) yield* allocator.occupy(node)
      return allocator
    })
  }

  /** Occupies the node's blocks and returns undefined; for a node without blocks allocates some and returns them. */
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

  /**
   * Compares a proposal with the blocks of the node's current version; if the node has other blocks, the proposal's are
   * released at once.
   */
  reconcileProposal(proposal: Proposal, node: Node | undefined): ProposalOutcome {
    if (node === undefined) return "gone"
    const present = podCIDRsOf(node)
    if (present.length === 0) return "write"
    const proposed = proposal.map(formatRange)
    if (present.length === proposed.length && present.every((cidr, index) => cidr === proposed[index])) return "written"
    this.releaseProposal(proposal)
    return "other"
  }

  /** Releases the blocks of a proposal that could not be written. */
  releaseProposal(proposal: Proposal): void {
    for (const [index, block] of proposal.entries()) this.sets[index]?.release(block)
  }

  /** Releases the blocks of a deleted node. Fails at the first invalid one, which leaves those after it occupied. */
  release(node: Node): Result.Result<void, string> {
    for (const [index, cidr] of podCIDRsOf(node).entries()) {
      const range = parseRange(cidr)
      if (range === undefined) {
        return Result.fail(`failed to parse CIDR ${cidr} on Node ${nameOf(node)}: invalid CIDR address: ${cidr}`)
      }
      const set = this.sets[index]
      if (set === undefined) return Result.fail(noSuchRangeMessage(node, cidr, index))
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
      if (set === undefined) return Result.fail(noSuchRangeMessage(node, cidr, index))
      const occupied = set.occupy(range)
      if (Result.isFailure(occupied)) {
        const which = `cidr[${formatRange(range)}] at idx [${index}]`
        return Result.fail(`failed to mark ${which} as occupied for node: ${nameOf(node)}: ${occupied.failure}`)
      }
    }
    return Result.succeed(undefined)
  }

  /** Occupies a range of Services in every set; a set that does not overlap it is unchanged. */
  private occupyService(service: IPRange): void {
    for (const set of this.sets) set.occupy(service)
  }
}

/** The patch that writes a node's blocks. */
export const podCIDRsPatch = (proposal: Proposal): { readonly spec: NonNullable<Node["spec"]> } => {
  const podCIDRs = proposal.map(formatRange)
  const [podCIDR = ""] = podCIDRs
  return { spec: { podCIDR, podCIDRs } }
}
