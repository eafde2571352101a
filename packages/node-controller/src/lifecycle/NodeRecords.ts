import type { Lease, Node } from "@rollcall/api"
import { isOlder } from "@rollcall/cluster"
import type { EvictionZone } from "@rollcall/eviction"
import { isSignOfLife, type NodeHealth } from "./NodeHealth.ts"

/**
 * Mutable, since a heartbeat updates it in place: half a million new objects an hour would burden the garbage
 * collector.
 */
export type RememberedHealth = { -readonly [Field in keyof NodeHealth]: NodeHealth[Field] }

/**
 * Everything known under one node name: the cached objects, the controller's record, and the result of the last check,
 * so that a pass over an unchanged node costs a few comparisons.
 */
export interface NodeRecord {
  readonly name: string
  /** The cached version, or the controller's own newer write; undefined when there is no such node (any more). */
  node: Node | undefined
  lease: Lease | undefined
  /**
   * The lease, if it is known to be later than the counted one (`health.lease`). Computed on arrival, while both are
   * in the CPU's cache: a pass over five thousand nodes would have to fetch the times of all their leases from memory.
   */
  later: Lease | undefined
  /** The node when the controller first processed it; undefined before, and after its deletion was processed. */
  known: Node | undefined
  /** Outlives the node: a new node with the same name continues with it. */
  health: RememberedHealth | undefined
  /** Its pods could not be marked: retried in the next pass. */
  needsRetry: boolean
  /** The result of the last check, if the next may rely on it. */
  finding: Finding | undefined
}

/** The result of a check, valid while the node is the same object and its silence is within the grace period. */
export interface Finding {
  readonly node: Node
  /** The lease last compared. */
  lease: Lease | undefined
  readonly zone: EvictionZone
  readonly excluded: boolean
  readonly ready: boolean
  /** Ready is Unknown already: further silence changes nothing. */
  readonly silent: boolean
  /** Whether the node belongs in its zone's queue; afresh in each pass while it has no taint. */
  readonly queue: "no" | "again" | "afresh"
}

/** Whether the first is an earlier version of the same node. */
const isBehind = (node: Node, other: Node | undefined): boolean =>
  other !== undefined && node.metadata.uid === other.metadata.uid && isOlder(node, other)

/** The records by name, and in the order of a pass. */
export class NodeRecords {
  private readonly byName = new Map<string, NodeRecord>()
  private readonly departed = new Set<NodeRecord>()
  private sorted: ReadonlyArray<NodeRecord> | undefined

  find(name: string): NodeRecord | undefined {
    return this.byName.get(name)
  }

  /** Returns the record of a name, creating it if need be. */
  of(name: string): NodeRecord {
    const present = this.byName.get(name)
    if (present !== undefined) return present
    const record: NodeRecord = {
      name,
      node: undefined,
      lease: undefined,
      later: undefined,
      known: undefined,
      health: undefined,
      needsRetry: false,
      finding: undefined
    }
    this.byName.set(name, record)
    return record
  }

  /** Sets the cached version, which may be older than the controller's own write. */
  setNode(name: string, node: Node | undefined): void {
    const record = this.of(name)
    if (node !== undefined && isBehind(node, record.node)) return
    if ((record.node === undefined) !== (node === undefined)) this.sorted = undefined
    record.node = node
    if (node !== undefined) return
    record.needsRetry = false
    this.departed.add(record)
  }

  /**
   * Sets the controller's own write, before the cache has it. With the old version a check in between would queue a
   * node that is ready again, or one that already has its taint: each costs the zone a token, which is ten seconds at
   * the normal rate. Upstream has the same gap, but hardly ever hits it. Returns whether the version was new.
   */
  wrote(node: Node): boolean {
    const record = this.byName.get(node.metadata.name ?? "")
    if (record?.node === undefined || !isBehind(record.node, node)) return false
    record.node = node
    return true
  }

  setLease(name: string, lease: Lease | undefined): void {
    const record = this.byName.get(name)
    if (record !== undefined) {
      record.lease = lease
      record.later = undefined
    } else if (lease !== undefined) this.of(name).lease = lease
  }

  /** Replaces a lease. */
  replaceLease(name: string, old: Lease, lease: Lease): void {
    const record = this.byName.get(name)
    if (record === undefined) {
      this.setLease(name, lease)
      return
    }
    const follows = record.lease === old && (record.later === old || record.health?.lease === old)
    record.later = follows && isSignOfLife(old, lease) ? lease : undefined
    record.lease = lease
  }

  /** Records of the existing nodes, by name. */
  present(): ReadonlyArray<NodeRecord> {
    this.sorted ??= [...this.byName.values()]
      .filter((record) => record.node !== undefined)
      .sort((left, right) => (left.name < right.name ? -1 : 1))
    return this.sorted
  }

  /** Nodes that were deleted since the last call, and have not been created again; by name. */
  takeDeparted(): ReadonlyArray<NodeRecord> {
    if (this.departed.size === 0) return []
    const gone = [...this.departed].filter((record) => record.node === undefined)
    this.departed.clear()
    return gone.sort((left, right) => (left.name < right.name ? -1 : 1))
  }
}
