import { formatMicroTime, formatTime, getNodeCondition, type Lease, type Node } from "@rollcall/api"
import {
  type HeartbeatOwner,
  type HeartbeatStay,
  RenewalColumns,
  ReportColumns,
  type ReportOwner,
  withHeartbeatTimes
} from "@rollcall/cluster"
import { EvictionZones } from "@rollcall/eviction/rules"
import { makeVirtualTime } from "@rollcall/time"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { nodeLifecycleSettings } from "../../src/index.ts"
import { NodeCheck } from "../../src/lifecycle/NodeCheck.ts"
import type { NodeRecord } from "../../src/lifecycle/NodeRecord.ts"
import { NodeRecords } from "../../src/lifecycle/NodeRecords.ts"
import { START_MS } from "../TestCluster.ts"

const GRACE_MS = 12_000
const settings = nodeLifecycleSettings({ nodeMonitorGracePeriodMs: GRACE_MS, nodeStartupGracePeriodMs: 20_000 })
const names = ["n1", "n2", "n3"]
const INTERVAL_MS = 5000
const REPORT_MS = 3700
/** How long a pass waits: a report may come meanwhile. */
const PAUSE_MS = 2000

type Step =
  | { readonly kind: "pass"; readonly waitsAfter: number }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "post" | "taint" | "turn" | "leave"; readonly name: string }

const name = fc.constantFrom(...names)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      waitsAfter: fc.constantFrom(1, 2, ...names.map(() => names.length))
    })
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(100, 1700, 5000) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("post" as const), name }) },
  fc.record({ kind: fc.constantFrom("taint" as const, "turn" as const, "leave" as const), name })
)

const emptyNode = (nodeName: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: nodeName, creationTimestamp: formatTime(START_MS), labels: {} },
  spec: {},
  status: {}
})

const withReady = (node: Node, status: string, turnedAt: string, now: number): Node => ({
  ...node,
  status: {
    conditions: [{ type: "Ready", status, lastHeartbeatTime: formatTime(now), lastTransitionTime: turnedAt }]
  }
})

const withRevision = (node: Node, revision: number): Node => ({
  ...node,
  metadata: { ...node.metadata, resourceVersion: String(revision) }
})

const changedBy = ({ kind }: Step, node: Node, now: number): Node => {
  const ready = node.status?.conditions?.[0]
  const turned = ready?.status === "True" ? "False" : "True"
  if (kind === "turn" || ready === undefined) return withReady(node, turned, formatTime(now), now)
  if (kind === "post") return withReady(node, ready.status, ready.lastTransitionTime ?? "", now)
  return { ...node, spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }] } }
}

/** A fake API server with the Leases and Nodes of `names`, whose heartbeats are columns or each an object. */
class World {
  readonly time = makeVirtualTime(START_MS)
  readonly zones = new EvictionZones(settings)
  readonly records = new NodeRecords()
  private readonly checks = new NodeCheck(this.zones, settings, this.records)
  private readonly inColumns: boolean
  private readonly stays = new Map<string, HeartbeatStay>()
  private readonly leases = new Map<string, Lease>()
  private readonly nodes = new Map<string, Node>()
  private revision = 0
  private readonly renewals: RenewalColumns
  private readonly reports: ReportColumns
  /** How many heartbeats of statuses were no objects. */
  quietReports = 0

  constructor(inColumns: boolean) {
    this.inColumns = inColumns
    const { timers } = this.time
    const numbered = timers.numbered as NonNullable<typeof timers.numbered>
    this.renewals = new RenewalColumns(
      {
        write: () => ++this.revision,
        make: (id) => {
          const { heartbeatMs, revision } = this.renewals
          this.setLease(this.renewals.ownerOf(id).name, heartbeatMs[id] as number, revision[id] as number)
        },
        valueOf: (id) => this.leases.get(this.renewals.ownerOf(id).name) as Lease,
        release: () => {}
      },
      numbered
    )
    const nodeAt = (id: number, revision: number, timeMs: number): Node => {
      const node = this.nodes.get(this.reports.ownerOf(id).name) as Node
      const isNewest = node.metadata.resourceVersion === String(revision)
      return isNewest ? node : withRevision(withHeartbeatTimes(node, [0], formatTime(timeMs)), revision)
    }
    this.reports = new ReportColumns(
      {
        write: () => {
          this.quietReports++
          return ++this.revision
        },
        make: (id) => {
          const { heartbeatMs, revision } = this.reports
          this.setNode(nodeAt(id, revision[id] as number, heartbeatMs[id] as number))
        },
        valueOf: nodeAt,
        release: () => {}
      },
      numbered
    )
    if (inColumns) {
      this.records.setColumns(this.renewals)
      this.records.setReports(this.reports)
    }
    for (const [index, name] of names.entries()) {
      this.change(name, (node) => withReady(node, "True", formatTime(START_MS), START_MS))
      this.renew(name)
      timers.after(1000 + index, () => this.post(name))
    }
  }

  private setLease(name: string, renewedMs: number, at: number): Lease {
    const spec = { renewTime: formatMicroTime(renewedMs) }
    const metadata = { name, namespace: "kube-node-lease", resourceVersion: String(at) }
    const lease: Lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec }
    const old = this.leases.get(name)
    if (old === undefined) this.records.setLease(name, lease)
    else this.records.replaceLease(name, old, lease)
    this.leases.set(name, lease)
    return lease
  }

  private setNode(node: Node): void {
    this.nodes.set(node.metadata.name ?? "", node)
    this.records.setNode(node.metadata.name ?? "", node)
  }

  private renew(name: string): void {
    const { timers } = this.time
    const object = this.setLease(name, timers.now(), ++this.revision)
    const owner: HeartbeatOwner = { name, object, made: () => {}, left: () => {}, fire: () => this.renew(name) }
    const times = { intervalMs: INTERVAL_MS, jitterMs: 0, seed: 0 }
    const stay = this.inColumns ? this.renewals.enter(owner, times, timers.now(), this.revision) : undefined
    if (stay === undefined) timers.after(INTERVAL_MS, () => this.renew(name))
    else this.stays.set(name, stay)
  }

  /** Posts the status of a node unchanged. */
  private post(name: string): void {
    const { timers } = this.time
    const next = (node: Node): Node => withHeartbeatTimes(node, [0], formatTime(timers.now()))
    const object = this.change(name, next)
    const owner: ReportOwner = {
      name,
      object,
      conditions: [0],
      lastMs: timers.now(),
      seed: 0,
      first: { atMs: timers.now() + REPORT_MS, seed: 0 },
      next: (timeMs, seed) => ({ atMs: timeMs + REPORT_MS, seed }),
      made: () => {},
      left: () => {},
      fire: () => this.post(name)
    }
    const stay = this.inColumns ? this.reports.enter(owner, this.revision) : undefined
    if (stay === undefined) timers.after(REPORT_MS, () => this.post(name))
  }

  change(name: string, changed: (node: Node) => Node): Node {
    const id = this.reports.idOf(name)
    if (id !== undefined) this.reports.leave(id)
    const node = withRevision(changed(this.nodes.get(name) ?? emptyNode(name)), ++this.revision)
    this.setNode(node)
    return node
  }

  leave(name: string): void {
    this.stays.get(name)?.leave()
  }

  /** Checks all nodes as a pass does, which waits after the first `waitsAfter` nodes. Returns what it finds. */
  pass(waitsAfter: number): unknown {
    const { records, time, zones } = this
    const { pass } = records
    const present = records.present()
    pass.started()
    const nodes: Array<Node | undefined> = present.map(() => undefined)
    for (let at = pass.nextSlow(0); at < present.length; at = pass.nextSlow(at + 1))
      nodes[at] = records.newestNode(present[at] as NodeRecord)
    zones.resetCounts()
    const works: Array<unknown> = []
    let index = 0
    const checkUntil = (end: number) => {
      while (index < end) {
        const now = time.timers.now()
        if (this.inColumns && end === present.length) index = pass.check(index, now, GRACE_MS, this.renewals)
        if (index >= end) return
        const record = present[index] as NodeRecord
        pass.leave(record)
        const node = nodes[index] ?? (record.lastCheck?.node as Node)
        const work = this.checks.check(record, node, now)
        works.push(work)
        record.known = node
        index++
        if (work === undefined && this.inColumns && record.node === node) pass.enter(record)
      }
    }
    if (waitsAfter < present.length) {
      // A slow record is checked alone; the quick ones before are slow for once.
      for (const record of present.slice(0, waitsAfter)) this.becomeSlow(record, nodes)
      checkUntil(waitsAfter)
      pass.waits(index, (position) => {
        nodes[position] = present[position]?.node
      })
      time.runUntil(time.timers.now() + PAUSE_MS)
    }
    checkUntil(present.length)
    return {
      works: JSON.stringify(works.filter((work) => work !== undefined)),
      zones: zones.all().map(({ notReady, ready }) => [ready, notReady])
    }
  }

  /** What the controller knows of each node; its records are quick no more. */
  health(): unknown {
    const { records } = this
    return records.present().map((record) => {
      records.pass.leave(record)
      const { health } = record
      return [health?.probeMs, getNodeCondition(health ?? {}, "Ready"), health?.readyTransitionMs]
    })
  }

  private becomeSlow(record: NodeRecord, nodes: Array<Node | undefined>): void {
    this.records.pass.leave(record)
    nodes[record.position] ??= this.records.newestNode(record)
  }
}

/** Plays the steps with heartbeats in columns, or with each an object. Returns what each pass found. */
const resultsOf = (steps: ReadonlyArray<Step>, inColumns: boolean) => {
  const world = new World(inColumns)
  const { runUntil, timers } = world.time
  const found: Array<unknown> = []
  for (const one of steps) {
    runUntil(timers.now() + (one.kind === "wait" ? one.ms : 300))
    const now = timers.now()
    if (one.kind === "leave") world.leave(one.name)
    else if (one.kind === "pass") found.push(world.pass(one.waitsAfter))
    else if (one.kind !== "wait") world.change(one.name, (node) => changedBy(one, node, now))
  }
  found.push(world.health())
  return { found, quietReports: world.quietReports }
}

describe("checks of nodes whose heartbeats are in columns", () => {
  it("find what they find with every heartbeat an object", () => {
    let quietReports = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), (steps) => {
        const columns = resultsOf(steps, true)
        assert.deepStrictEqual(columns.found, resultsOf(steps, false).found)
        quietReports += columns.quietReports
      }),
      { numRuns: 500 }
    )
    assert.isAbove(quietReports, 1000)
  })
})
