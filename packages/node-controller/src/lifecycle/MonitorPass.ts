import type { Node } from "@rollcall/api"
import type { EvictionLimiter } from "@rollcall/eviction"
import type { DisruptionDecision } from "@rollcall/eviction/rules"
import { contained } from "@rollcall/time"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { NodeControllerObserver } from "../Observer.ts"
import { carriesNoExecutePair } from "../Taints.ts"
import { updateAllNodesHealthSeconds, updateNodeHealthSeconds } from "./metrics.ts"
import { NodeCheck } from "./NodeCheck.ts"
import { NodePerformer, type NodePerformerOptions } from "./NodePerformer.ts"
import type { NodeRecord } from "./NodeRecord.ts"
import type { PassModel } from "./PassModel.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

/** How many nodes of a pass are handled concurrently. */
const WORKERS = 8

export interface MonitorPassOptions extends Omit<NodePerformerOptions, "checks" | "zones"> {
  readonly limiter: EvictionLimiter["Service"]
  readonly observer: NodeControllerObserver
  readonly model: PassModel
  readonly metrics: Context.Context<never>
}

/** The nodes at the start of a pass; both lists have the same order. A quick record's node is that of its last check. */
interface Snapshot {
  readonly records: ReadonlyArray<NodeRecord>
  readonly nodes: Array<Node | undefined>
}

const nodeAt = ({ nodes, records }: Snapshot, position: number): Node =>
  nodes[position] ?? (records[position]?.lastCheck?.node as Node)

/**
 * One pass over all nodes: checks their health, decides on taints and on marking pods; then handles disruption of
 * zones. It decides on the nodes as they are at its start. Its own writes come back through the cache.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go monitorNodeHealth.
 */
export class MonitorPass {
  private readonly options: MonitorPassOptions
  private readonly checks: NodeCheck
  private readonly performer: NodePerformer

  constructor(options: MonitorPassOptions) {
    this.options = options
    const { zones } = options.limiter
    this.checks = new NodeCheck(zones, options.settings, options.records)
    this.performer = new NodePerformer({ ...options, zones, checks: this.checks })
  }

  readonly run = Effect.fnUntraced({ self: this }, function* (this: MonitorPass) {
    const { limiter, metrics, model, observer, records, timers } = this.options
    const startedMs = timers.now()
    const present = records.present()
    records.pass.started()
    const snapshot = this.takeSnapshot(present)
    yield* this.registerNodes(snapshot)
    limiter.zones.resetCounts()
    yield* this.checkAll(snapshot)
    const modelledMs = model.baseMs + model.perNodeMs * present.length
    if (modelledMs > 0) yield* Effect.sleep(modelledMs)
    yield* limiter.handleDisruption((decision) => this.handleAllZonesDown(snapshot, decision))
    const endedMs = timers.now()
    updateAllNodesHealthSeconds.updateUnsafe((endedMs - startedMs) / 1000, metrics)
    observer.passEnded({ startedMs, endedMs, nodes: present.length })
  })

  private takeSnapshot(records: ReadonlyArray<NodeRecord>): Snapshot {
    const { records: allRecords } = this.options
    const { pass } = allRecords
    const nodes: Array<Node | undefined> = new Array(records.length).fill(undefined)
    for (let position = pass.nextSlow(0); position < records.length; position = pass.nextSlow(position + 1)) {
      nodes[position] = allRecords.newestNode(records[position] as NodeRecord)
    }
    return { records, nodes }
  }

  /** Handles that the pass may wait before it checks the nodes from a position on. */
  private mayWait({ nodes, records }: Snapshot, from: number): void {
    this.options.records.pass.waits(from, (position) => {
      nodes[position] = records[position]?.node
    })
  }

  /** Returns the node at the start of the pass, for more than its labels. */
  private exactNodeAt(snapshot: Snapshot, position: number): Node {
    this.options.records.pass.leave(snapshot.records[position] as NodeRecord)
    return nodeAt(snapshot, position)
  }

  /** Removes the NoExecute taints of all nodes when all zones have gone down; restarts grace periods when that ends. */
  private handleAllZonesDown(snapshot: Snapshot, { mode }: DisruptionDecision): Effect.Effect<void> {
    const { records } = snapshot
    if (mode === "exitAllZonesDown") this.restartGracePeriods(records, this.options.timers.now())
    if (mode !== "enterAllZonesDown") return Effect.void
    const markReachable = (node: Node) =>
      this.contain(
        node,
        Effect.suspend(() => this.performer.markReachable(node))
      )
    const nodes = records.map((_, position) => this.exactNodeAt(snapshot, position))
    return Effect.forEach(nodes, markReachable, { discard: true })
  }

  /** Registers new zones and new nodes, and unregisters deleted nodes, with their Events. */
  private readonly registerNodes = Effect.fnUntraced({ self: this }, function* (this: MonitorPass, snapshot: Snapshot) {
    const { records } = snapshot
    const { pass } = this.options.records
    const deleted = this.options.records.takeDeleted()
    const added: Array<readonly [NodeRecord, Node]> = []
    // What is quick was registered, and so was its zone.
    const next = pass.zonesAreKnown ? (from: number) => pass.nextSlow(from) : (from: number) => from
    for (let index = next(0); index < records.length; index = next(index + 1)) {
      const record = records[index] as NodeRecord
      const node = nodeAt(snapshot, index)
      if (record.known === undefined) added.push([record, node])
      else if (record.lastCheck?.node !== node || record.lastCheck.zone.state === undefined) this.rememberZone(node)
    }
    if (added.length > 0) this.mayWait(snapshot, 0)
    for (const [record, node] of added) yield* this.contain(node, this.registerNode(record, node))
    for (const record of deleted) {
      if (record.known === undefined) continue
      this.performer.recordEvent(record.known, "RemovingNode", `event: Removing Node ${record.name} from Controller`)
      this.unregisterNode(record, record.known)
    }
  })

  private readonly registerNode = Effect.fnUntraced(
    { self: this },
    function* (this: MonitorPass, record: NodeRecord, node: Node) {
      this.performer.recordEvent(node, "RegisteredNode", `event: Registered Node ${record.name} in Controller`)
      record.known = node
      this.rememberZone(node)
      // After a restart every node is new: taints of an earlier controller are removed, and queued again if needed.
      if (carriesNoExecutePair(node)) yield* this.performer.markReachable(node)
      else this.options.limiter.zones.of(zoneKeyOf(node.metadata.labels)).cancel(record.name)
    }
  )

  /** Logs what handling one node throws, so that the other nodes are handled; the next pass handles this one again. */
  private contain(node: Node, work: Effect.Effect<void>): Effect.Effect<void> {
    return contained(this.options.timers, "node lifecycle pass", work, { node: node.metadata.name })
  }

  /**
   * Unregisters a deleted node. In releases where this controller deletes pods, its zone's queue deletes the node's.
   */
  private unregisterNode(record: NodeRecord, node: Node): void {
    const { limiter, settings, timers } = this.options
    if (settings.podEviction === "deletion") {
      limiter.zones.of(zoneKeyOf(node.metadata.labels)).queue.add(record.name, timers.now())
    }
    record.known = undefined
  }

  /**
   * Checks all nodes in plain code. Up to eight workers make the requests of the nodes that need any; checking
   * continues when a worker is free.
   */
  private checkAll(snapshot: Snapshot): Effect.Effect<void> {
    const { metrics, model, records: allRecords, settings, timers } = this.options
    const { nodes, records } = snapshot
    const { pass } = allRecords
    let index = 0
    const next = (): Effect.Effect<void> | undefined => {
      const now = timers.now()
      while (index < records.length) {
        const { columns } = allRecords
        if (columns !== undefined && pass.isOf(records)) {
          index = pass.check(index, now, settings.nodeMonitorGracePeriodMs, columns)
          if (index === records.length) return undefined
        }
        const record = records[index] as NodeRecord
        const node = this.exactNodeAt(snapshot, index)
        nodes[index++] = node
        const work = this.check(record, node, now)
        if (work !== undefined) {
          this.mayWait(snapshot, index)
          return this.withDurationMetric(work)
        }
        if (model.metersEveryNode) updateNodeHealthSeconds.updateUnsafe(0, metrics)
        else if (record.node === node) pass.enter(record)
      }
      return undefined
    }
    const first = next()
    if (first === undefined) return Effect.void
    const worker = Effect.fnUntraced(function* (firstTask: Effect.Effect<void> | undefined) {
      for (let task = firstTask ?? next(); task !== undefined; task = next()) yield* task
    })
    const workers = Array.from({ length: WORKERS }, (_, at) => worker(at === 0 ? first : undefined))
    return Effect.all(workers, { concurrency: "unbounded", discard: true })
  }

  /** The work for a node; undefined if there is none, or if checking the node throws. */
  private check(record: NodeRecord, node: Node, now: number): Effect.Effect<void> | undefined {
    try {
      const work = this.checks.check(record, node, now)
      return work === undefined ? undefined : this.contain(node, this.performer.perform(record, node, work))
    } catch (error) {
      this.options.timers.handleError("node lifecycle pass", error, { node: record.name })
      return undefined
    }
  }

  private withDurationMetric(task: Effect.Effect<void>): Effect.Effect<void> {
    const { metrics, timers } = this.options
    const startedMs = timers.now()
    return Effect.tap(task, () =>
      Effect.sync(() => updateNodeHealthSeconds.updateUnsafe((timers.now() - startedMs) / 1000, metrics))
    )
  }

  /** Restarts every node's grace period. */
  private restartGracePeriods(records: ReadonlyArray<NodeRecord>, now: number): void {
    for (const record of records) {
      this.options.records.pass.leave(record)
      const { health } = record
      if (health === undefined) continue
      health.probeMs = now
      health.readyTransitionMs = now
    }
  }

  private rememberZone(node: Node): void {
    this.options.limiter.register(zoneKeyOf(node.metadata.labels))
  }
}
