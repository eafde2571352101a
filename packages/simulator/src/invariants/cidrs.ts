import type { Node } from "@rollcall/api"
import type { Invariant, Report } from "./Invariant.ts"

const podCidrsOf = (node: Node | undefined): ReadonlyArray<string> =>
  node?.spec?.podCIDRs ?? (node?.spec?.podCIDR === undefined ? [] : [node.spec.podCIDR])

/**
 * Checks that a pod CIDR belongs to one node, and that a node keeps its pod CIDRs. Only CIDRs that an existing node is assigned are
 * checked: a Node that is created with CIDRs of its own may overlap others.
 */
export const cidrs = (report: Report): Invariant => {
  const holders = new Map<string, string>()
  return {
    node: (previous, next) => {
      if (previous?.spec === next?.spec) return
      const name = next?.metadata.name ?? previous?.metadata.name ?? ""
      const [before, after] = [podCidrsOf(previous), podCidrsOf(next)]
      if (before.length === 0 && after.length === 0) return
      if (next === undefined || next.metadata.uid !== previous?.metadata.uid) {
        for (const range of before) if (holders.get(range) === name) holders.delete(range)
      } else if (before.length > 0 && before.join() !== after.join()) {
        report(`${name} changed its pod CIDRs from ${before.join()} to ${after.join() || "none"}`)
      }
      for (const range of after) {
        const holder = holders.get(range)
        if (holder !== undefined && holder !== name && before.length === 0 && previous !== undefined) {
          report(`${range} was assigned to ${name} while ${holder} has it`)
        }
        holders.set(range, name)
      }
    }
  }
}
