import type { Lease, Node } from "@rollcall/api"
import { isOlder } from "@rollcall/cluster"
import type { EvictionZone } from "@rollcall/eviction"
import { isSignOfLife, type NodeHealth } from "./NodeHealth.ts"

/** A heartbeat changes it in place: half a million new ones an hour would be left to the garbage collector. */
export type RememberedHealth = { -readonly [Field in keyof NodeHealth]: NodeHealth[Field] }

/**
 * All that is known of one node name: what the caches hold, what the controller remembers, and what it found when it last
 * looked, so that a pass over a node of which nothing changed costs a few comparisons.
 */
export interface NodeRecord {
  readonly name: string
  /** As the cache has it, or as the controller has written it since; undefined when there is no such node (any more). */
  node: Node | undefined
  lease: Lease | undefined
  /**
   * That lease, if it is known to be later than the one that counts (`health.lease`): found out when it came, while both were at
   * hand. A look at five thousand nodes would have to fetch the times of all their leases from memory.
   */
  later: Lease | undefined
  /** The node as it was when the controller first noticed it; undefined before, and after its removal was noticed. */
  known: Node | undefined
  /** Outlives the node: one that comes back under its name goes on with it. */
  health: RememberedHealth | undefined
  /** Its pods could not be marked: to be tried again in the next pass. */
  needsRetry: boolean
  /** What the last look found, if the next may rely on it. */
  finding: Finding | undefined
}

/** A look whose outcome stands as long as the node is the same object and its silence is within the grace. */
export interface Finding {
  readonly node: Node
  /** The lease last compared. */
  lease: Lease | undefined
  readonly zone: EvictionZone
  readonly excluded: boolean
  readonly ready: boolean
  /** Ready is Unknown already: more silence changes nothing. */
  readonly silent: boolean
  /** The node belongs in its zone's queue; afresh in each pass as long as it carries no taint. */
  readonly queue: "no" | "again" | "afresh"
}

/** Is the first an earlier state of the same node? */
const isBehind = (node: Node, other: Node | undefined): boolean =>
  other !== undefined && node.metadata.uid === other.metadata.uid && isOlder(node, other)

/** The records by name, and in the order in which a pass takes them. */
export class NodeRecords {
  private readonly byName = new Map<string, NodeRecord>()
  private readonly departed = new Set<NodeRecord>()
  private sorted: ReadonlyArray<NodeRecord> | undefined

  find(name: string): NodeRecord | undefined {
    return this.byName.get(name)
  }

  /** The record of a name, made if need be. */
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

  /** What the cache says. It may still be on its way to what the controller has written. */
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
   * What the controller has written, before the cache hears of it. Whoever looked at the old state in between would find a node in
   * its zone's queue that is ready still, or one that has its taint in need of another: each costs the zone a token, which is
   * ten seconds at the normal rate. Upstream has the same gap, but hardly ever meets it. Answers whether it was news.
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

  /** A lease takes the place of another. */
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

  /** Records of the nodes that exist, by name. */
  present(): ReadonlyArray<NodeRecord> {
    this.sorted ??= [...this.byName.values()]
      .filter((record) => record.node !== undefined)
      .sort((left, right) => (left.name < right.name ? -1 : 1))
    return this.sorted
  }

  /** Nodes that were deleted since this was last asked, and have not come back; by name. */
  takeDeparted(): ReadonlyArray<NodeRecord> {
    if (this.departed.size === 0) return []
    const gone = [...this.departed].filter((record) => record.node === undefined)
    this.departed.clear()
    return gone.sort((left, right) => (left.name < right.name ? -1 : 1))
  }
}
