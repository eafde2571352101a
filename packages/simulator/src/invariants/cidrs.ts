import type { Node } from "@rollcall/api"
import type { Invariant, Report } from "./Invariant.ts"

const rangesOf = (node: Node | undefined): ReadonlyArray<string> =>
  node?.spec?.podCIDRs ?? (node?.spec?.podCIDR === undefined ? [] : [node.spec.podCIDR])

/**
 * A block of addresses belongs to one node, and a node keeps its blocks. Nodes that come with blocks of their own are whoever
 * made them's business; claimed is only what is given to a node that is there.
 */
export const cidrs = (report: Report): Invariant => {
  const holders = new Map<string, string>()
  return {
    node: (previous, next) => {
      if (previous?.spec === next?.spec) return
      const name = next?.metadata.name ?? previous?.metadata.name ?? ""
      const [before, after] = [rangesOf(previous), rangesOf(next)]
      if (before.length === 0 && after.length === 0) return
      if (next === undefined || next.metadata.uid !== previous?.metadata.uid) {
        for (const range of before) if (holders.get(range) === name) holders.delete(range)
      } else if (before.length > 0 && before.join() !== after.join()) {
        report(`${name} has ${after.join() || "no block"} and had ${before.join()}`)
      }
      for (const range of after) {
        const holder = holders.get(range)
        if (holder !== undefined && holder !== name && before.length === 0 && previous !== undefined) {
          report(`${range} is given to ${name}, and is ${holder}'s`)
        }
        holders.set(range, name)
      }
    }
  }
}
