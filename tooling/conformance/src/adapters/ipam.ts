import type { Node } from "@rollcall/api"
import { defaultIpamFlags, type IPRange, ipamPlan, RangeAllocator } from "@rollcall/node-controller"
import { CidrSet, formatRange, parseRange, podCIDRsPatch } from "@rollcall/node-controller/rules"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

const rangeOf = (text: string): IPRange => {
  const range = parseRange(text)
  if (range === undefined) throw new Error(`not a range: ${text}`)
  return range
}

const cidrSet = (given: Json, when: Json): Json => {
  const made = CidrSet.make(rangeOf(given.clusterCIDR), given.nodeMaskSize)
  if (Result.isFailure(made)) return { error: made.failure }
  const set = made.success
  const allocate = (): Json => {
    const block = set.allocate()
    return Result.isSuccess(block) ? { cidr: formatRange(block.success) } : { error: block.failure }
  }
  const many = (times: number): Json => {
    const results = Array.from({ length: times }, allocate)
    return { first: results[0], last: results[times - 1] }
  }
  const mark = (op: "occupy" | "release", cidr: string): Json => {
    const done = set[op](rangeOf(cidr))
    return Result.isSuccess(done) ? { ok: true } : { error: done.failure }
  }
  const step = ({ cidr, op, times }: Json): Json =>
    op !== "allocate" ? mark(op, cidr) : times === undefined ? allocate() : many(times)
  const steps = when.map((asked: Json) => ({
    ...step(asked),
    allocated: set.allocated,
    nextCandidate: set.nextCandidate
  }))
  return { maxCIDRs: set.maxCIDRs, steps }
}

/** Nodes as the API would keep them, and the allocator that knows them. */
const allocation = (given: Json, when: Json): Json => {
  const plan = {
    ranges: given.clusterCIDRs.map((text: string, index: number) => ({
      cluster: rangeOf(text),
      nodeMaskSize: given.nodeMaskSizes[index]
    })),
    services: [given.serviceCIDR, given.secondaryServiceCIDR].flatMap((text) => (text ? [rangeOf(text)] : []))
  }
  const nodes = new Map<string, Node>((given.nodes ?? []).map((node: Json) => [node.metadata.name, node]))
  const begin = () =>
    RangeAllocator.start(
      plan,
      [...nodes.keys()].sort().flatMap((name) => nodes.get(name) ?? [])
    )
  const started = begin()
  if (Result.isFailure(started)) return { start: { error: started.failure } }
  let allocator = started.success
  const nodeOf = (name: string) => nodes.get(name) as Node
  const shown = (name: string): Json => {
    const { podCIDR = "", podCIDRs = [] } = nodeOf(name).spec ?? {}
    return { podCIDR, podCIDRs }
  }
  const sync = (name: string): Json => {
    const outcome = allocator.allocateOrOccupy(nodeOf(name))
    if (Result.isFailure(outcome)) {
      const { event, message } = outcome.failure
      return { error: message, ...(event === undefined ? {} : { event }), ...shown(name) }
    }
    const proposal = outcome.success
    if (proposal !== undefined && allocator.reconcileProposal(proposal, nodeOf(name)) === "write") {
      nodes.set(name, { ...nodeOf(name), ...podCIDRsPatch(proposal) })
    }
    return shown(name)
  }
  const step = ({ node, op, podCIDRs }: Json): Json => {
    switch (op) {
      case "add": {
        const spec = podCIDRs === undefined ? {} : { podCIDR: podCIDRs[0], podCIDRs }
        nodes.set(node, { apiVersion: "v1", kind: "Node", metadata: { name: node }, spec })
        return sync(node)
      }
      case "sync":
        return sync(node)
      case "delete": {
        const released = allocator.release(nodeOf(node))
        nodes.delete(node)
        return Result.isSuccess(released) ? { ok: true } : { error: released.failure }
      }
      default: {
        const again = begin()
        if (Result.isFailure(again)) return { error: again.failure }
        allocator = again.success
        return { ok: true }
      }
    }
  }
  return { start: { ok: true }, steps: when.map(step) }
}

const maskSizes = (given: Json): Json => {
  const { nodeCidrMaskSize = 0, nodeCidrMaskSizeIPv4 = 0, nodeCidrMaskSizeIPv6 = 0 } = given.flags
  const plan = ipamPlan({
    ...defaultIpamFlags,
    allocateNodeCIDRs: true,
    clusterCIDR: given.clusterCIDR,
    nodeCIDRMaskSize: nodeCidrMaskSize,
    nodeCIDRMaskSizeIPv4: nodeCidrMaskSizeIPv4,
    nodeCIDRMaskSizeIPv6: nodeCidrMaskSizeIPv6
  })
  return Result.isFailure(plan)
    ? { error: plan.failure }
    : { maskSizes: plan.success?.ranges.map(({ nodeMaskSize }) => nodeMaskSize) }
}

export const ipamAdapters: Adapters = {
  "ipam/cidrset": ({ given, when }) => cidrSet(given, when),
  "ipam/allocator": ({ given, when }) => allocation(given, when),
  "ipam/mask-sizes": ({ given }) => maskSizes(given)
}
