import { isNotFound } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { type BindingFailure, errorMessage, pluginFailed, refusedBy, rejectedBy } from "./BindingFailure.ts"
import type { BindingPoints, BindingTools, Hold, PermitPlugin, PreBindPlugin, Refusal } from "./BindingPlugin.ts"
import type { PodInfo } from "./cache/CacheRecords.ts"
import { PermitWait } from "./PermitWait.ts"
import type { PodWrites } from "./PodWrites.ts"
import type { SchedulingEvent } from "./queue/SchedulingEvent.ts"
import { schedulerNameOf } from "./SchedulerConfig.ts"

export interface BindingsParts extends BindingTools {
  readonly writes: PodWrites
  /** By profile; only profiles with a plugin for any of the points. */
  readonly points: ReadonlyMap<string, BindingPoints>
  /** Whether a pod that has to wait before it is bound gets status.nominatedNodeName. */
  readonly nominates: boolean
}

/** `nominated`: the pod's status names, or is about to name, the selected node. */
type Finish = (failure: BindingFailure | undefined, nominated: boolean) => void

/** A pod between the selection of a node and the binding. */
interface Underway {
  readonly pod: PodInfo
  readonly node: string
  readonly points: BindingPoints
  readonly finish: Finish
  permit: PermitWait | undefined
  /** The name of the running plugin, and the function that cancels its work. */
  plugin: string
  stop: (() => void) | undefined
}

/**
 * Runs the plugins between the selection of a node and the binding, and binds. A pod without waiting plugins is bound
 * at once; the others do not delay the next pod's cycle. Upstream: pkg/scheduler/schedule_one.go schedulingCycle (from
 * Reserve on), bindingCycle.
 */
export class Bindings {
  private readonly parts: BindingsParts
  private readonly underway = new Map<string, Underway>()

  constructor(parts: BindingsParts) {
    this.parts = parts
  }

  /** Pods that wait for a plugin, by key. */
  get waiting(): ReadonlyMap<string, { readonly pod: PodInfo; readonly node: string }> {
    return this.underway
  }

  /** Calls `finish` once: without a failure when the pod is bound. After a failure everything was unreserved. */
  start(pod: PodInfo, node: string, finish: Finish): void {
    const points = this.parts.points.get(schedulerNameOf(pod.pod))
    if (points === undefined) {
      this.bind(pod, node, undefined, finish, false)
      return
    }
    const { cache } = this.parts
    const refuse = (failure: BindingFailure) => {
      this.unreserve(points, pod, node)
      finish(failure, false)
    }
    for (const plugin of points.reserve) {
      const refusal = this.ask(plugin.name, pod, () => plugin.reserve(pod, node, cache))
      if (refusal !== undefined) {
        refuse(refusedBy("Reserve", plugin.name, refusal))
        return
      }
    }
    let holds: Array<readonly [PermitPlugin, Hold]> | undefined
    for (const plugin of points.permit) {
      const verdict = this.ask(plugin.name, pod, () => plugin.permit(pod, node, cache))
      if (verdict === undefined) continue
      if (verdict._tag !== "Wait") {
        refuse(refusedBy("Permit", plugin.name, verdict))
        return
      }
      holds ??= []
      holds.push([plugin, verdict])
    }
    if (holds === undefined && !points.preBind.some((plugin) => this.isConcerned(plugin, pod, node))) {
      this.bind(pod, node, points, finish, false)
      return
    }
    this.wait({ pod, node, points, finish, permit: undefined, plugin: "", stop: undefined }, holds)
  }

  /** The pod was deleted, or is on a node: cancels its work and unreserves. */
  abandon(key: string): void {
    const cycle = this.leave(key)
    if (cycle !== undefined) this.unreserve(cycle.points, cycle.pod, cycle.node)
  }

  /** Rejects a waiting pod that was preempted. */
  preempt(key: string): void {
    const cycle = this.underway.get(key)
    if (cycle === undefined) return
    const isHeld = cycle.permit !== undefined
    this.fail(cycle, isHeld ? rejectedBy([], "preempted") : pluginFailed("PreBind", cycle.plugin, "context canceled"))
  }

  /** Records events that may make a pod schedulable that is refused later. */
  noteEvent(event: SchedulingEvent): void {
    // A waiting pod's own updates cannot make another pod schedulable.
    if (this.underway.size === 0 || event._tag === "UnscheduledPodUpdated") return
    for (const { permit } of this.underway.values()) permit?.noteEvent(event, this.parts.cache)
  }

  /** Cancels all work, without callbacks. */
  close(): void {
    for (const key of [...this.underway.keys()]) this.leave(key)
  }

  private wait(cycle: Underway, holds: ReadonlyArray<readonly [PermitPlugin, Hold]> | undefined): void {
    const { node, pod } = cycle
    this.underway.set(pod.key, cycle)
    if (this.parts.nominates) this.parts.writes.nominate(pod.pod, node)
    if (holds === undefined) {
      this.prepare(cycle, 0)
      return
    }
    cycle.permit = new PermitWait(pod, node, this.parts.timers, (failure) => {
      cycle.permit = undefined
      if (failure === undefined) this.prepare(cycle, 0)
      else this.fail(cycle, failure)
    })
    cycle.permit.begin(holds)
  }

  /** Runs the preBind plugins in order, then binds. */
  private prepare(cycle: Underway, index: number): void {
    const { node, pod, points } = cycle
    const plugin = points.preBind[index]
    if (plugin === undefined) {
      this.underway.delete(pod.key)
      this.bind(pod, node, points, cycle.finish, this.parts.nominates)
      return
    }
    if (!this.isConcerned(plugin, pod, node)) {
      this.prepare(cycle, index + 1)
      return
    }
    const { cache, connection, timers } = this.parts
    let isDone = false
    const done = (problem?: string) => {
      if (isDone || this.underway.get(pod.key) !== cycle) return
      isDone = true
      cycle.stop = undefined
      if (problem === undefined) this.prepare(cycle, index + 1)
      else this.fail(cycle, pluginFailed("PreBind", plugin.name, problem))
    }
    cycle.plugin = plugin.name
    let stop: (() => void) | undefined
    try {
      stop = plugin.preBind({ cache, connection, timers, pod, node, done })
    } catch (error) {
      this.tell(plugin.name, pod, error)
      done(errorMessage(error))
      return
    }
    if (!isDone) cycle.stop = stop
  }

  private tell(plugin: string, { key }: PodInfo, error: unknown): void {
    this.parts.timers.handleError("scheduler plugin", error, { plugin, pod: key })
  }

  /** An exception of a plugin becomes an error. */
  private ask<A>(plugin: string, pod: PodInfo, act: () => A): A | Refusal {
    try {
      return act()
    } catch (error) {
      this.tell(plugin, pod, error)
      return { _tag: "Error", message: errorMessage(error) }
    }
  }

  /** A `concerns` that throws counts as true: `preBind` then reports the error. */
  private isConcerned(plugin: PreBindPlugin, pod: PodInfo, node: string): boolean {
    try {
      return plugin.concerns?.(pod, node, this.parts.cache) ?? true
    } catch (error) {
      this.tell(plugin.name, pod, error)
      return true
    }
  }

  private quietly(plugin: string, pod: PodInfo, act: () => void): void {
    try {
      act()
    } catch (error) {
      this.tell(plugin, pod, error)
    }
  }

  private bind(
    pod: PodInfo,
    node: string,
    points: BindingPoints | undefined,
    finish: Finish,
    nominated: boolean
  ): void {
    this.parts.writes.bind(pod.pod, node, (answer) => {
      if (Result.isSuccess(answer)) {
        finish(undefined, nominated)
        for (const plugin of points?.postBind ?? []) {
          this.quietly(plugin.name, pod, () => plugin.postBind(pod, node, this.parts.cache))
        }
        return
      }
      if (points !== undefined) this.unreserve(points, pod, node)
      const { failure } = answer
      const gone = isNotFound(failure)
      finish(gone ? { _tag: "Gone" } : pluginFailed("Bind", "DefaultBinder", failure.message), nominated)
    })
  }

  private fail({ finish, node, pod, points }: Underway, failure: BindingFailure): void {
    this.leave(pod.key)
    this.unreserve(points, pod, node)
    finish(failure, this.parts.nominates)
  }

  private leave(key: string): Underway | undefined {
    const cycle = this.underway.get(key)
    if (cycle === undefined) return undefined
    this.underway.delete(key)
    cycle.permit?.end()
    this.quietly(cycle.plugin, cycle.pod, () => cycle.stop?.())
    return cycle
  }

  private unreserve({ reserve }: BindingPoints, pod: PodInfo, node: string): void {
    for (const plugin of reserve.toReversed()) {
      this.quietly(plugin.name, pod, () => plugin.unreserve(pod, node, this.parts.cache))
    }
  }
}
