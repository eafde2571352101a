import { labelRegion, labelZone, type Node } from "@rollcall/api"
import type { NodeInfo } from "./CacheRecords.ts"

/**
 * Identifies the region and zone of a node; empty if it has neither label. Upstream:
 * component-helpers/node/topology/helpers.go GetZoneKey.
 */
export const zoneKeyOf = (node: Node): string => {
  const labels = node.metadata.labels ?? {}
  // As upstream, the beta labels take precedence.
  const region = labels["failure-domain.beta.kubernetes.io/region"] ?? labels[labelRegion] ?? ""
  const zone = labels["failure-domain.beta.kubernetes.io/zone"] ?? labels[labelZone] ?? ""
  return region === "" && zone === "" ? "" : `${region}:\u0000:${zone}`
}

/**
 * The order in which nodes are tried: one of each zone in turn, and within a zone in order of arrival. So a search that
 * ends after some of the nodes has covered all zones. Upstream: pkg/scheduler/backend/cache/node_tree.go.
 */
export class NodeOrder {
  private readonly zones = new Map<string, Array<NodeInfo>>()
  /** Undefined if it has to be computed again. */
  private order: ReadonlyArray<NodeInfo> | undefined = []

  add(info: NodeInfo): void {
    const nodes = this.zones.get(info.zone)
    if (nodes === undefined) this.zones.set(info.zone, [info])
    else nodes.push(info)
    this.order = undefined
  }

  remove(info: NodeInfo): void {
    const nodes = this.zones.get(info.zone) ?? []
    const index = nodes.indexOf(info)
    if (index < 0) return
    nodes.splice(index, 1)
    if (nodes.length === 0) this.zones.delete(info.zone)
    info.position = -1
    this.order = undefined
  }

  /** The nodes in order; each node's `position` is its index. */
  list(): ReadonlyArray<NodeInfo> {
    this.order ??= this.roundRobin()
    return this.order
  }

  private roundRobin(): ReadonlyArray<NodeInfo> {
    const order: Array<NodeInfo> = []
    const zones = [...this.zones.values()]
    for (let index = 0, found = true; found; index++) {
      found = false
      for (const nodes of zones) {
        const info = nodes[index]
        if (info === undefined) continue
        found = true
        info.position = order.length
        order.push(info)
      }
    }
    return order
  }
}
