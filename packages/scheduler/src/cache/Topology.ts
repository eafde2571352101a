import type { NodeInfo } from "./CacheRecords.ts"

/** The domains of a topology key, such as zones, as numbers from 0 on. */
export interface Topology {
  /** The domain of each node, by `NodeInfo.position`; -1 if the node lacks the key. */
  readonly domains: Int32Array
  /** Number of domains. */
  readonly size: number
}

/** Numbers the values that the label `key` has on the nodes. */
export const topologyOf = (key: string, nodes: ReadonlyArray<NodeInfo>): Topology => {
  const ids = new Map<string, number>()
  const domains = new Int32Array(nodes.length)
  nodes.forEach((node, position) => {
    const value = node.labels[key]
    if (value === undefined) {
      domains[position] = -1
      return
    }
    let id = ids.get(value)
    if (id === undefined) {
      id = ids.size
      ids.set(value, id)
    }
    domains[position] = id
  })
  return { domains, size: ids.size }
}
