import type { Lease, Pod } from "@rollcall/api"
import { EvictionZones } from "@rollcall/eviction/rules"
import * as Order from "effect/Order"
import { decideNoExecute, taintsFor } from "../lifecycle/NoExecuteDecision.ts"
import { decideDeletion, isDeletedWithNode } from "../lifecycle/PodDeletion.ts"
import { zoneKeyOf, zoneNames } from "../lifecycle/ZoneKey.ts"
import { noExecuteTaints } from "../tainteviction/TaintEvictionQueue.ts"
import type { EvictionForecast, ForecastInput, NodeForecast, ZoneForecast, ZonePace } from "./EvictionForecast.ts"
import { ForecastNode } from "./ForecastNode.ts"
import { ForecastPod } from "./ForecastPod.ts"
import { ForecastZone } from "./ForecastZone.ts"
import { alignToPass, passAfterOf } from "./passTimes.ts"
import { replayZones } from "./replayZones.ts"

const NEVER = Number.POSITIVE_INFINITY

/** How much earlier than one period after the last a pass may have begun: times in the API are whole seconds. */
const API_TIME_STEP_MS = 1000

const podsByNode = (pods: ReadonlyArray<Pod>): ReadonlyMap<string, ReadonlyArray<Pod>> => {
  const found = new Map<string, Array<Pod>>()
  for (const pod of pods) {
    const { nodeName = "" } = pod.spec
    const known = found.get(nodeName)
    if (known === undefined) found.set(nodeName, [pod])
    else known.push(pod)
  }
  return found
}

type ZoneOfNodes = ForecastZone<ForecastNode>

/** Simulates the node lifecycle controller over a cluster in which nothing else changes. */
class Forecast {
  private readonly input: ForecastInput
  private readonly evictions: EvictionZones
  /** The zones by key, in the order of their first node. */
  private readonly zones = new Map<string, ZoneOfNodes>()
  private readonly nodes: ReadonlyArray<ForecastNode>
  private allZonesDown = false
  /** The time of the first pass that may see an event at an instant. */
  private passAfter = (atMs: number): number => atMs
  /** Whether past events are being replayed: they change no node and are not reported. */
  private replaying = true

  constructor(input: ForecastInput) {
    this.input = input
    const { leases, nowMs } = input
    this.evictions = new EvictionZones(input.settings)
    const leaseOf = new Map((leases ?? []).map((lease: Lease) => [lease.metadata.name, lease]))
    const podsOn = podsByNode(input.pods)
    this.nodes = input.nodes
      .map((node) => {
        const pods = podsOn.get(node.metadata.name ?? "") ?? []
        return new ForecastNode(node, this.zoneOf(zoneKeyOf(node.metadata.labels)), {
          lease: leaseOf.get(node.metadata.name),
          silenceKnown: leases !== undefined,
          nowMs,
          pods: pods.map((pod) => new ForecastPod(pod, input.comparisonOperators === true))
        })
      })
      .sort((left, right) => Order.String(left.name, right.name))
  }

  run(): EvictionForecast {
    const { nowMs, settings } = this.input
    replayZones(this.nodes, nowMs, settings.nodeMonitorPeriodMs - API_TIME_STEP_MS, (atMs) => this.judgeZones(atMs))
    for (const node of this.nodes) {
      const taints = noExecuteTaints(node.current)
      if (taints.length > 0) for (const pod of node.pods) pod.replay(taints, nowMs)
    }
    this.passAfter = passAfterOf(this.nodes, settings.nodeMonitorPeriodMs)
    for (const node of this.nodes) node.predictSilence(this.passAfter, settings)
    alignToPass(this.nodes)
    this.replaying = false
    this.runPass(this.nodes, nowMs)
    for (const node of this.nodes) {
      if (node.isQueued && node.surelyQueuedFromMs(settings.nodeMonitorPeriodMs) < nowMs)
        node.zone.assumeEmptyLimiter(nowMs)
    }
    const zones = [...this.zones.values()].map((zone) => ({
      ...zoneNames(zone.key),
      zoneKey: zone.key,
      ready: zone.zone.ready,
      notReady: zone.zone.notReady,
      ...zone.pace(),
      waiting: zone.waiting.map(({ name }) => name)
    }))
    const allZonesDown = this.allZonesDown
    for (const zone of this.zones.values()) {
      zone.waiting.forEach((node, index) => {
        node.place = index + 1
      })
    }
    this.runToEnd()
    return { nowMs, allZonesDown, zones: zones.map((zone) => this.withChanges(zone)), nodes: this.report() }
  }

  private zoneOf(key: string): ZoneOfNodes {
    const known = this.zones.get(key)
    if (known !== undefined) return known
    const byName = this.input.settings.podEviction === "taints"
    const zone = new ForecastZone<ForecastNode>(this.evictions.of(key), byName)
    this.zones.set(key, zone)
    return zone
  }

  /** Runs one pass over these nodes, and then over the zones. */
  private runPass(nodes: ReadonlyArray<ForecastNode>, atMs: number): void {
    const { settings } = this.input
    for (const node of nodes) {
      if (node.ready !== "Unknown" && node.unknownAtMs <= atMs) this.markUnknown(node, atMs)
      if (settings.podEviction === "deletion") this.decideDeletion(node, atMs)
      else this.decideTaints(node, atMs)
    }
    this.judgeZones(atMs)
  }

  private markUnknown(node: ForecastNode, atMs: number): void {
    const before = node.ready
    node.turnUnknown(atMs, this.input.settings)
    if (!node.countsForZone) return
    node.zone.zone.count(before === "True", -1)
    node.zone.zone.count(node.ready === "True")
  }

  private decideTaints(node: ForecastNode, atMs: number): void {
    const { ready, zone } = node
    if (ready === undefined) return
    const decision = decideNoExecute(node.current, ready)
    switch (decision.kind) {
      case "queue":
        // A node that has its taint was acted on, and stays known to the queue.
        if (decision.afresh) zone.add(node, atMs)
        return
      case "swap":
        node.swappedAtMs = atMs
        node.taint([decision.add], [decision.remove], atMs)
        return
      case "reachable":
        node.removePair(atMs)
        zone.remove(node)
        return
      case "none":
        return
    }
  }

  private decideDeletion(node: ForecastNode, atMs: number): void {
    if (node.isQueued || node.queueReachedAtMs !== undefined || !node.hasPodsToDelete) return
    const { podEvictionTimeoutMs } = this.input.settings
    const decision = decideDeletion(node.ready ?? "Unknown", node.deletionCountsFrom, atMs, podEvictionTimeoutMs)
    if (decision === "delete") node.zone.add(node, atMs)
  }

  private judgeZones(atMs: number): void {
    const decision = this.evictions.decide()
    const before = this.replaying ? undefined : this.paces()
    this.evictions.remember(decision)
    if (decision.mode === "enterAllZonesDown") this.enterAllZonesDown(atMs)
    if (decision.mode === "exitAllZonesDown") {
      this.allZonesDown = false
      for (const node of this.nodes) node.restartGracePeriod(atMs)
    }
    for (const [key, rate] of decision.rates) this.zoneOf(key).setRate(rate, atMs)
    if (before !== undefined) this.recordChanges(before, atMs)
  }

  private enterAllZonesDown(atMs: number): void {
    const { nowMs, settings } = this.input
    this.allZonesDown = true
    // Taints forgiven earlier are already removed, except by a pass that had only begun when the cluster was read.
    const isUnderWay = this.replaying && atMs + settings.nodeMonitorPeriodMs > nowMs
    for (const node of this.nodes) {
      // A node tainted during the pass is missed by it, and stays tainted.
      const isTaintedInPass = node.taintedMs !== undefined && node.taintedMs >= atMs
      if (!this.replaying) node.removePair(atMs)
      else if (isUnderWay && !isTaintedInPass) node.removePair(nowMs)
      // Passes queue nodes even while the limiters are stopped.
      if (!this.replaying && settings.podEviction === "taints") this.decideTaints(node, atMs)
    }
  }

  private paces(): ReadonlyMap<ZoneOfNodes, ZonePace> {
    return new Map([...this.zones.values()].map((zone) => [zone, zone.pace()]))
  }

  private recordChanges(before: ReadonlyMap<ZoneOfNodes, ZonePace>, atMs: number): void {
    if (atMs <= this.input.nowMs) return
    for (const [zone, old] of before) {
      const pace = zone.pace()
      if (pace.state !== old.state || pace.nodesPerSecond !== old.nodesPerSecond) zone.changes.push({ atMs, ...pace })
    }
  }

  /** Simulates future events in order, until none is left. */
  private runToEnd(): void {
    const { nowMs, settings } = this.input
    const silent = this.nodes
      .filter(({ unknownAtMs }) => unknownAtMs > nowMs && unknownAtMs < NEVER)
      .sort((left, right) => right.unknownAtMs - left.unknownAtMs)
    const withPodsToDelete =
      settings.podEviction === "deletion" ? this.nodes.filter(({ hasPodsToDelete }) => hasPodsToDelete) : []
    let fromMs = nowMs
    for (;;) {
      const unknownMs = silent.at(-1)?.unknownAtMs ?? NEVER
      const dueMs = earliest(withPodsToDelete, (node) => this.deletionDueMs(node, fromMs))
      const next = this.nextQueuedNode(fromMs)
      const atMs = Math.min(unknownMs, dueMs, next?.atMs ?? NEVER)
      if (atMs === NEVER) return
      fromMs = atMs
      if (unknownMs === atMs) {
        const nowUnknown: Array<ForecastNode> = []
        while (silent.at(-1)?.unknownAtMs === atMs) nowUnknown.push(silent.pop() as ForecastNode)
        this.runPass(nowUnknown, atMs)
      } else if (dueMs === atMs) for (const node of withPodsToDelete) this.decideDeletion(node, atMs)
      else if (next !== undefined) this.actOnNextNode(next.zone, atMs)
    }
  }

  private deletionDueMs(node: ForecastNode, fromMs: number): number {
    if (node.isQueued || node.queueReachedAtMs !== undefined || node.ready === "True") return NEVER
    const { probeMs, readyTransitionMs } = node.deletionCountsFrom
    const sinceMs = node.ready === "False" ? readyTransitionMs : probeMs
    // The timeout must be exceeded, not only reached.
    const dueMs = this.passAfter(this.passAfter(sinceMs) + this.input.settings.podEvictionTimeoutMs) + 1
    return dueMs < fromMs ? NEVER : dueMs
  }

  private nextQueuedNode(fromMs: number): { readonly zone: ZoneOfNodes; readonly atMs: number } | undefined {
    let first: { readonly zone: ZoneOfNodes; readonly atMs: number } | undefined
    for (const zone of this.zones.values()) {
      if (zone.size === 0) continue
      const atMs = zone.admitsAt(fromMs)
      if (atMs < (first?.atMs ?? NEVER)) first = { zone, atMs }
    }
    return first
  }

  /** Acts on the next node of a zone. */
  private actOnNextNode(zone: ZoneOfNodes, atMs: number): void {
    const node = zone.takeNext(atMs)
    if (node === undefined) return
    node.queueReachedAtMs = atMs
    if (this.input.settings.podEviction === "deletion") {
      for (const one of node.pods) if (isDeletedWithNode(one.pod)) one.deleteAt(atMs, undefined)
      return
    }
    const pair = taintsFor(node.ready ?? "Unknown")
    if (pair !== undefined) node.taint([pair.matching], [pair.opposite], atMs)
  }

  private withChanges(zone: Omit<ZoneForecast, "changes">): ZoneForecast {
    return { ...zone, changes: this.zoneOf(zone.zoneKey).changes }
  }

  private report(): ReadonlyArray<NodeForecast> {
    const { outOfService, settings } = this.input
    return this.nodes.flatMap((node) => {
      const forecast = node.report(settings, outOfService)
      return node.isReportable(forecast.pods) ? [forecast] : []
    })
  }
}

const earliest = <A>(items: ReadonlyArray<A>, timeOf: (item: A) => number): number => {
  let first = NEVER
  for (const item of items) first = Math.min(first, timeOf(item))
  return first
}

/**
 * Forecasts which pods are evicted because of their node, when, and why not yet: simulates the node lifecycle
 * controller and taint eviction from the state in the API. It holds if nothing changes: no node recovers, and no
 * further node falls silent. The controllers' memory is not in the API, so times are the earliest possible: a pass
 * checks nodes only every `nodeMonitorPeriodMs`, and the order of nodes queued in a zone is up to the controller
 * (here: by name).
 */
export const forecastEvictions = (input: ForecastInput): EvictionForecast => new Forecast(input).run()
