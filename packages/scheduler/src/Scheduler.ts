import type { Pod, PodCondition } from "@rollcall/api"
import { EventSeriesRecorder, neverThrowing } from "@rollcall/cluster"
import { guarded } from "@rollcall/time"
import { Algorithm } from "./Algorithm.ts"
import { AssumedPods } from "./AssumedPods.ts"
import type { BindingFailure } from "./BindingFailure.ts"
import { Bindings } from "./Bindings.ts"
import { ClusterFeed } from "./ClusterFeed.ts"
import type { PodInfo } from "./cache/CacheRecords.ts"
import { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Decision } from "./Decision.ts"
import type { Failure } from "./Failure.ts"
import { eventNote } from "./FailureMessage.ts"
import { PluginError } from "./Plugin.ts"
import { PodWrites } from "./PodWrites.ts"
import { bindingPointsOf } from "./Profile.ts"
import { QueueClock } from "./queue/QueueClock.ts"
import type { QueuedPod } from "./queue/QueuedPod.ts"
import { pendingPodAdded } from "./queue/SchedulingEvent.ts"
import { defaultQueueOptions, SchedulingQueue } from "./queue/SchedulingQueue.ts"
import { profilesOf, schedulerNameOf } from "./SchedulerConfig.ts"
import { noMeter, type SchedulerMeter } from "./SchedulerMeter.ts"
import type { SchedulerParts } from "./SchedulerParts.ts"

const SECOND_MS = 1000

type Unschedulable = Decision & { readonly _tag: "Unschedulable" }

const withNomination = (pod: Pod, nominatedNodeName: string): Pod => ({
  ...pod,
  status: { ...pod.status, nominatedNodeName }
})

/**
 * A scheduler in plain code, without Effect; informers pass the objects of the cluster to `feed`. It takes one pod after
 * the other from its queue, decides, and starts the next cycle while the binding is in progress. Upstream: pkg/scheduler/{scheduler,schedule_one,eventhandlers}.go.
 */
export class Scheduler {
  readonly cache: SchedulingCache
  readonly queue: SchedulingQueue
  /** The handlers for informers of nodes and pods. */
  readonly feed: ClusterFeed
  private readonly algorithm: Algorithm
  private readonly parts: SchedulerParts
  private readonly writes: PodWrites
  /** Recorders of Events, by schedulerName: it is the reporting controller of an Event. */
  private readonly events: ReadonlyMap<string, EventSeriesRecorder>
  private readonly assumed: AssumedPods
  private readonly bindings: Bindings
  private readonly meter: SchedulerMeter
  private isRunning = false
  /** Whether the next cycle is planned, or in progress. */
  private isCycling = false
  private readonly clock: QueueClock

  constructor(parts: SchedulerParts) {
    const { budgets = () => [], config, random, timers } = parts
    const connection = neverThrowing(parts.connection, timers)
    this.parts = parts
    this.meter = parts.meter ?? noMeter
    this.cache = new SchedulingCache(config.podsFitBy)
    this.assumed = new AssumedPods(this.cache)
    this.queue = new SchedulingQueue({
      ...defaultQueueOptions,
      initialBackoffMs: config.podInitialBackoffSeconds * SECOND_MS,
      maxBackoffMs: config.podMaxBackoffSeconds * SECOND_MS,
      observer: this.meter
    })
    this.clock = new QueueClock(this.queue, timers, () => this.wake())
    const profiles = profilesOf(config)
    this.algorithm = new Algorithm(this.cache, { ...config, random, budgets, profiles })
    this.writes = new PodWrites(connection)
    this.events = new Map(
      [...profiles.keys()].map((name) => [
        name,
        new EventSeriesRecorder(neverThrowing(config.eventConnection ?? parts.connection, timers), timers, {
          controller: name,
          instance: config.hostname === undefined ? name : `${name}-${config.hostname}`
        })
      ])
    )
    this.bindings = new Bindings({
      connection,
      timers,
      cache: this.cache,
      writes: this.writes,
      points: new Map(
        [...profiles].flatMap(([name, { profile }]) => {
          const points = bindingPointsOf(profile)
          return points === undefined ? [] : [[name, points] as const]
        })
      ),
      nominates: config.nominatesBeforeBinding,
      onNote: ({ pod }, reason, message) => this.eventsOf(pod)?.record(pod, "Normal", reason, "Scheduling", message)
    })
    this.feed = new ClusterFeed({
      cache: this.cache,
      queue: this.queue,
      nominations: this.algorithm.nominations,
      assumed: this.assumed,
      profiles,
      timers,
      onWork: () => this.wake(),
      onUnbindable: (key) => this.bindings.abandon(key),
      onEvent: (event) => this.bindings.noteEvent(event),
      onGated: (pod, plugin, gated) => {
        this.meter.pending("gated", gated)
        this.meter.queued("unschedulable", pendingPodAdded)
        this.meter.unschedulable(plugin, 1, schedulerNameOf(pod))
        if (plugin === "SchedulingGates") this.reportGates(pod)
      },
      onUngated: (pod, plugin, gated) => {
        this.meter.pending("gated", gated)
        this.meter.unschedulable(plugin, -1, schedulerNameOf(pod))
      },
      extendedResourceClaims: config.extendedResourceClaims,
      onDevicesNeeded: parts.onDevicesNeeded ?? (() => undefined)
    })
  }

  /** Starts the cycles. Before, the handlers of `feed` only update the cache and the queue. */
  start(): void {
    this.isRunning = true
    this.clock.start()
    this.wake()
  }

  stop(): void {
    this.isRunning = false
    this.bindings.close()
    for (const events of this.events.values()) events.close()
    this.clock.stop()
  }

  /** Pods with a selected node that wait for a plugin before they are bound, by `podKey`. */
  get waiting(): Bindings["waiting"] {
    return this.bindings.waiting
  }

  private eventsOf(pod: Pod): EventSeriesRecorder | undefined {
    return this.events.get(schedulerNameOf(pod))
  }

  private now(): number {
    return this.parts.timers.now()
  }

  private secondsSince(time: number): number {
    return (this.now() - time) / SECOND_MS
  }

  /** Plans the next cycle, if none is planned. */
  private wake(): void {
    this.clock.planBackoff()
    if (!this.isRunning || this.isCycling) return
    this.isCycling = true
    this.parts.timers.soon(this.cycle)
  }

  private readonly cycle = (): void => {
    const queued = this.isRunning ? this.queue.pop() : undefined
    if (queued === undefined) {
      this.isCycling = false
      return
    }
    const { config, timers } = this.parts
    this.feed.listed.place()
    try {
      this.attempt(queued)
      this.meter.cached(this.cache.nodes().length, this.cache.podCount, this.assumed.size)
    } catch (error) {
      if (!(error instanceof PluginError)) timers.handleError("scheduling cycle", error, { pod: queued.info.key })
      guarded(timers, "scheduling cycle", () => this.handleCycleError(queued, error), { pod: queued.info.key })
    }
    if (config.cycleMs > 0) timers.after(config.cycleMs, this.cycle)
    else timers.soon(this.cycle)
  }

  private attempt(queued: QueuedPod): void {
    const { info } = queued
    const { pod } = info
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.removeFromQueue(info.key)
      const text = `skip schedule deleting pod: ${info.namespace}/${info.name}`
      this.eventsOf(pod)?.record(pod, "Warning", "FailedScheduling", "Scheduling", text)
      return
    }
    const beganAt = this.now()
    const decision = this.algorithm.schedule(info)
    this.meter.decided(this.secondsSince(beganAt))
    this.parts.onDecision?.(pod, decision)
    if (decision._tag === "Bind") this.bind(queued, decision.node)
    else this.reject(queued, decision)
  }

  /** Releases the reservations of a pod whose cycle threw; it is retried after its back-off. */
  private handleCycleError(queued: QueuedPod, error: unknown): void {
    const { info } = queued
    this.bindings.abandon(info.key)
    this.feed.unassume(info.pod)
    const message = error instanceof Error ? error.message : String(error)
    this.fail(queued, { reason: "SchedulerError", message, plugins: [], nomination: undefined })
  }

  private bind(queued: QueuedPod, nodeName: string): void {
    const { info } = queued
    const startedAt = this.now()
    this.assumed.assume(info, nodeName)
    this.algorithm.nominations.withdraw(info.key)
    this.bindings.start(info, nodeName, (failure, nominated) => {
      if (!this.isRunning) return
      if (failure !== undefined) return this.handleBindFailure(queued, failure, nominated ? nodeName : undefined)
      this.queue.delete(info.key)
      this.meter.attempted("scheduled", this.secondsSince(startedAt), schedulerNameOf(info.pod))
      this.meter.scheduled(queued.attempts, this.secondsSince(queued.arrivedAt), queued.overdue)
      const text = `Successfully assigned ${info.namespace}/${info.name} to ${nodeName}`
      this.eventsOf(info.pod)?.record(info.pod, "Normal", "Scheduled", "Binding", text)
    })
  }

  private handleBindFailure(queued: QueuedPod, failure: BindingFailure, writtenNomination: string | undefined): void {
    const { info } = queued
    // A pod that was deleted or observed on a node since then is no longer assumed, and has been handled.
    if (!this.feed.unassume(info.pod)) return
    if (failure._tag === "Gone") {
      this.removeFromQueue(info.key)
      return
    }
    const common = { message: failure.message, nomination: "", writtenNomination }
    if (failure._tag === "Failed") {
      this.fail(queued, { reason: "SchedulerError", plugins: [], ...common })
      return
    }
    this.fail(queued, { reason: "Unschedulable", plugins: failure.plugins, ...common })
    const { helpfulEvent } = failure
    if (helpfulEvent === undefined) return
    if (this.queue.requeueWhere((other) => other === queued, this.now(), helpfulEvent) > 0) this.wake()
  }

  private reject(queued: QueuedPod, decision: Unschedulable): void {
    const { keepsNomination, message, plugins } = decision
    if (plugins.length > 0) this.meter.preemptionTried()
    if (decision.nominated !== undefined) {
      this.preempt(queued.info, decision.nominated.node, decision.nominated.victims)
    } else if (keepsNomination !== true) this.algorithm.nominations.withdraw(queued.info.key)
    const nomination = keepsNomination === true ? undefined : (decision.nominated?.node ?? "")
    this.fail(queued, { reason: "Unschedulable", message, plugins, nomination })
    // Victims that are not bound yet free their resources at once. That event must find the pod in the queue.
    for (const { key } of decision.nominated?.victims ?? []) this.bindings.preempt(key)
  }

  private fail(queued: QueuedPod, { message, nomination, plugins, reason, writtenNomination }: Failure): void {
    const profile = schedulerNameOf(queued.info.pod)
    this.meter.attempted(reason === "Unschedulable" ? "unschedulable" : "error", 0, profile)
    if (plugins.length > 0) this.queue.returnRejected(queued, plugins, this.now())
    else this.queue.returnFailed(queued, this.now())
    this.clock.planBackoff()
    this.clock.planStale()
    const { pod } = queued.info
    this.eventsOf(pod)?.record(pod, "Warning", "FailedScheduling", "Scheduling", eventNote(message))
    const condition: PodCondition = { type: "PodScheduled", status: "False", reason, message }
    const written = writtenNomination === undefined ? pod : withNomination(pod, writtenNomination)
    this.writes.setCondition(written, condition, this.now(), nomination)
  }

  private removeFromQueue(key: string): void {
    this.queue.delete(key)
    this.algorithm.nominations.withdraw(key)
  }

  /** Nominates the node for the pod, and deletes the victims. */
  private preempt(info: PodInfo, node: string, victims: ReadonlyArray<PodInfo>): void {
    const { nominations } = this.algorithm
    for (const other of nominations.podsOn(node)) {
      if (other.priority >= info.priority) continue
      nominations.withdraw(other.key)
      this.writes.clearNomination(other.pod)
    }
    nominations.nominate(info, node)
    this.meter.preempted(victims.length)
    for (const { key, pod, terminating } of victims) {
      // A terminating pod is waited for; it needs no request.
      if (terminating) continue
      if (!this.bindings.waiting.has(key)) this.writes.deleteVictim(pod, schedulerNameOf(info.pod), this.now())
      const text = `Preempted by pod ${info.pod.metadata.uid ?? ""} on node ${node}`
      this.eventsOf(info.pod)?.record(pod, "Normal", "Preempted", "Preempting", text, info.pod)
    }
  }

  /** Writes the condition of a pod that has scheduling gates. */
  private reportGates(pod: Pod): void {
    const message = "Scheduling is blocked due to non-empty scheduling gates"
    const condition: PodCondition = { type: "PodScheduled", status: "False", reason: "SchedulingGated", message }
    this.writes.setCondition(pod, condition, this.now())
  }
}
