import type { Pod, PodCondition } from "@rollcall/api"
import { neverThrowing } from "@rollcall/cluster"
import { guarded } from "@rollcall/time"
import { Algorithm } from "./Algorithm.ts"
import { AssumedPods } from "./AssumedPods.ts"
import type { BindingFailure } from "./BindingFailure.ts"
import { Bindings } from "./Bindings.ts"
import { ClusterFeed } from "./ClusterFeed.ts"
import type { PodInfo } from "./cache/CacheRecords.ts"
import { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Decision } from "./Decision.ts"
import { eventNote } from "./FailureMessage.ts"
import { PodWrites } from "./PodWrites.ts"
import { bindingPointsOf } from "./Profile.ts"
import { QueueClock } from "./queue/QueueClock.ts"
import type { QueuedPod } from "./queue/QueuedPod.ts"
import { pendingPodAdded } from "./queue/SchedulingEvent.ts"
import { defaultQueueOptions, SchedulingQueue } from "./queue/SchedulingQueue.ts"
import { profilesOf, schedulerNameOf } from "./SchedulerConfig.ts"
import { noMeter, type SchedulerMeter } from "./SchedulerMeter.ts"
import type { SchedulerParts } from "./SchedulerParts.ts"
import { SchedulingEvents } from "./SchedulingEvents.ts"

const SECOND_MS = 1000

type Unschedulable = Decision & { readonly _tag: "Unschedulable" }

/** A failed attempt. */
interface Failure {
  readonly reason: "Unschedulable" | "SchedulerError"
  readonly message: string
  /** The plugins whose events can make the pod schedulable. */
  readonly plugins: ReadonlyArray<string>
  /** The node to write to the pod's nominatedNodeName; undefined to leave it unchanged. */
  readonly nomination: string | undefined
  /** The nominatedNodeName that was written already, though the cache may not show it yet. */
  readonly nominatedTo?: string | undefined
}

const nominated = (pod: Pod, nominatedNodeName: string): Pod => ({
  ...pod,
  status: { ...pod.status, nominatedNodeName }
})

/**
 * A scheduler in plain code, fed by informers: it takes one pod after the other, decides, and starts the next cycle
 * while the binding is in progress. Upstream: pkg/scheduler/{scheduler,schedule_one,eventhandlers}.go.
 */
export class Scheduler {
  readonly cache: SchedulingCache
  readonly queue: SchedulingQueue
  /** The handlers for informers of nodes and pods. */
  readonly feed: ClusterFeed
  private readonly algorithm: Algorithm
  private readonly parts: SchedulerParts
  private readonly writes: PodWrites
  /** By the name of the profile that records them. */
  private readonly events: ReadonlyMap<string, SchedulingEvents>
  private readonly assumed: AssumedPods
  private readonly bindings: Bindings
  private readonly meter: SchedulerMeter
  private running = false
  private busy = false
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
        new SchedulingEvents(neverThrowing(config.eventConnection ?? parts.connection, timers), timers, name)
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
      nominates: config.nominatesBeforeBinding
    })
    this.feed = new ClusterFeed({
      cache: this.cache,
      queue: this.queue,
      nominations: this.algorithm.nominations,
      assumed: this.assumed,
      profiles,
      timers,
      onWork: () => this.wake(),
      onLeft: (key) => this.bindings.abandon(key),
      onEvent: (event) => this.bindings.noteEvent(event),
      onGated: (pod, gated) => {
        this.meter.pending("gated", gated)
        this.meter.queued("unschedulable", pendingPodAdded)
        this.meter.unschedulable("SchedulingGates", 1, schedulerNameOf(pod))
        this.reportGates(pod)
      },
      onOpened: (pod, gated) => {
        this.meter.pending("gated", gated)
        this.meter.unschedulable("SchedulingGates", -1, schedulerNameOf(pod))
      }
    })
  }

  /** Starts scheduling; until then the handlers only update the cache and the queue. */
  start(): void {
    this.running = true
    this.clock.start()
    this.wake()
  }

  stop(): void {
    this.running = false
    this.bindings.close()
    for (const events of this.events.values()) events.close()
    this.clock.stop()
  }

  /** Pods with a selected node that wait for a plugin before they are bound. */
  get waiting(): Bindings["waiting"] {
    return this.bindings.waiting
  }

  private eventsOf(pod: Pod): SchedulingEvents | undefined {
    return this.events.get(schedulerNameOf(pod))
  }

  private now(): number {
    return this.parts.timers.now()
  }

  private secondsSince(time: number): number {
    return (this.now() - time) / SECOND_MS
  }

  private wake(): void {
    this.clock.planBackoff()
    if (!this.running || this.busy) return
    this.busy = true
    this.parts.timers.soon(this.cycle)
  }

  private readonly cycle = (): void => {
    const queued = this.running ? this.queue.pop() : undefined
    if (queued === undefined) {
      this.busy = false
      return
    }
    const { config, timers } = this.parts
    try {
      this.attempt(queued)
      this.meter.cached(this.cache.nodes().length, this.cache.podCount, this.assumed.size)
    } catch (error) {
      timers.handleError("scheduling cycle", error, { pod: queued.info.key })
      guarded(timers, "scheduling cycle", () => this.cycleFailed(queued, error), { pod: queued.info.key })
    }
    if (config.cycleMs > 0) timers.after(config.cycleMs, this.cycle)
    else timers.soon(this.cycle)
  }

  private attempt(queued: QueuedPod): void {
    const { info } = queued
    const { pod } = info
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.leave(info.key)
      const text = `skip schedule deleting pod: ${info.namespace}/${info.name}`
      this.eventsOf(pod)?.record(pod, "Warning", "FailedScheduling", "Scheduling", text)
      return
    }
    const decision = this.algorithm.schedule(info)
    this.parts.onDecision?.(pod, decision)
    if (decision._tag === "Bind") this.bind(queued, decision.node)
    else this.reject(queued, decision)
  }

  /** The cycle threw: the pod's reservations are released, and it is retried after its back-off. */
  private cycleFailed(queued: QueuedPod, error: unknown): void {
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
      if (!this.running) return
      if (failure !== undefined) return this.bindFailed(queued, failure, nominated ? nodeName : undefined)
      this.queue.delete(info.key)
      this.meter.attempted("scheduled", this.secondsSince(startedAt), schedulerNameOf(info.pod))
      this.meter.scheduled(queued.attempts, this.secondsSince(queued.arrivedAt), queued.overdue)
      const text = `Successfully assigned ${info.namespace}/${info.name} to ${nodeName}`
      this.eventsOf(info.pod)?.record(info.pod, "Normal", "Scheduled", "Binding", text)
    })
  }

  private bindFailed(queued: QueuedPod, failure: BindingFailure, nominatedTo: string | undefined): void {
    const { info } = queued
    // Observed on a node, or deleted, since the request: no longer assumed.
    if (!this.feed.unassume(info.pod)) return
    if (failure._tag === "Gone") {
      this.leave(info.key)
      return
    }
    const common = { message: failure.message, nomination: "", nominatedTo }
    if (failure._tag === "Failed") {
      this.fail(queued, { reason: "SchedulerError", plugins: [], ...common })
      return
    }
    this.fail(queued, { reason: "Unschedulable", plugins: failure.plugins, ...common })
    const { helped } = failure
    if (helped !== undefined && this.queue.requeueWhere((other) => other === queued, this.now(), helped) > 0)
      this.wake()
  }

  private reject(queued: QueuedPod, decision: Unschedulable): void {
    const { keepsNomination, message, plugins } = decision
    if (plugins.length > 0) this.meter.preemptionTried()
    if (decision.nominated !== undefined) {
      this.makeRoom(queued.info, decision.nominated.node, decision.nominated.victims)
    } else if (keepsNomination !== true) this.algorithm.nominations.withdraw(queued.info.key)
    const nomination = keepsNomination === true ? undefined : (decision.nominated?.node ?? "")
    this.fail(queued, { reason: "Unschedulable", message, plugins, nomination })
    // Their resources are free at once, but only after the pod is queued.
    for (const { key } of decision.nominated?.victims ?? []) this.bindings.preempt(key)
  }

  private fail(queued: QueuedPod, { message, nominatedTo, nomination, plugins, reason }: Failure): void {
    const profile = schedulerNameOf(queued.info.pod)
    this.meter.attempted(reason === "Unschedulable" ? "unschedulable" : "error", 0, profile)
    if (plugins.length > 0) this.queue.returnRejected(queued, plugins, this.now())
    else this.queue.returnFailed(queued, this.now())
    this.clock.planBackoff()
    this.clock.planStale()
    const { pod } = queued.info
    this.eventsOf(pod)?.record(pod, "Warning", "FailedScheduling", "Scheduling", eventNote(message))
    const condition: PodCondition = { type: "PodScheduled", status: "False", reason, message }
    const told = nominatedTo === undefined ? pod : nominated(pod, nominatedTo)
    this.writes.setCondition(told, condition, this.now(), nomination)
  }

  private leave(key: string): void {
    this.queue.delete(key)
    this.algorithm.nominations.withdraw(key)
  }

  private makeRoom(info: PodInfo, node: string, victims: ReadonlyArray<PodInfo>): void {
    const { nominations } = this.algorithm
    for (const other of nominations.on(node)) {
      if (other.priority >= info.priority) continue
      nominations.withdraw(other.key)
      this.writes.clearNomination(other.pod)
    }
    nominations.nominate(info, node)
    this.meter.preempted(victims.length)
    for (const { key, pod, terminating } of victims) {
      // It is terminating already.
      if (terminating) continue
      if (!this.bindings.waiting.has(key)) this.writes.evictVictim(pod, schedulerNameOf(info.pod), this.now())
      const text = `Preempted by pod ${info.pod.metadata.uid ?? ""} on node ${node}`
      this.eventsOf(info.pod)?.record(pod, "Normal", "Preempted", "Preempting", text, info.pod)
    }
  }

  private reportGates(pod: Pod): void {
    const message = "Scheduling is blocked due to non-empty scheduling gates"
    const condition: PodCondition = { type: "PodScheduled", status: "False", reason: "SchedulingGated", message }
    this.writes.setCondition(pod, condition, this.now())
  }
}
