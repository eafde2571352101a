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
  /** By profile; only of those that have a plugin for any of the points. */
  readonly points: ReadonlyMap<string, BindingPoints>
  /** A pod that has to wait before it is bound says so, under the name of its node. */
  readonly nominates: boolean
}

/** `nominated`: the pod's status says, or is about to say, which node it was to have. */
type Finish = (failure: BindingFailure | undefined, nominated: boolean) => void

/** A pod that waits on its way to a node. */
interface Underway {
  readonly pod: PodInfo
  readonly node: string
  readonly points: BindingPoints
  readonly finish: Finish
  permit: PermitWait | undefined
  /** The plugin at work, and what ends its work. */
  plugin: string
  stop: (() => void) | undefined
}

/**
 * Takes pods from the choice of a node to the binding, through the plugins that have a say on the way. A pod that no plugin
 * keeps is bound at once; the others do not keep the next pod from its cycle. Upstream: pkg/scheduler/schedule_one.go
 * schedulingCycle (from Reserve on), bindingCycle.
 */
export class Bindings {
  private readonly parts: BindingsParts
  private readonly underway = new Map<string, Underway>()

  constructor(parts: BindingsParts) {
    this.parts = parts
  }

  /** Pods that a plugin keeps from being bound, by key. */
  get waiting(): ReadonlyMap<string, { readonly pod: PodInfo; readonly node: string }> {
    return this.underway
  }

  /** Calls `finish` once: with nothing when the pod is bound. What was held for it has been given back when it is not. */
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

  /** The pod is gone, or on a node: its work ends where it is, and what was held for it is given back. */
  abandon(key: string): void {
    const cycle = this.leave(key)
    if (cycle !== undefined) this.unreserve(cycle.points, cycle.pod, cycle.node)
  }

  /** Makes a pod that waits give up its node for a more important one. */
  preempt(key: string): void {
    const cycle = this.underway.get(key)
    if (cycle === undefined) return
    const isHeld = cycle.permit !== undefined
    this.fail(cycle, isHeld ? rejectedBy([], "preempted") : pluginFailed("PreBind", cycle.plugin, "context canceled"))
  }

  /** Takes note of what may help pods that are refused later. */
  hear(event: SchedulingEvent): void {
    // What a waiting pod does to itself helps no other.
    if (this.underway.size === 0 || event._tag === "PendingUpdated") return
    for (const { permit } of this.underway.values()) permit?.hear(event, this.parts.cache)
  }

  /** Ends all work; nobody is told. */
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

  /** Lets one plugin after the other do its work, then binds. */
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

  /** What a plugin throws is an error of its own. */
  private ask<A>(plugin: string, pod: PodInfo, act: () => A): A | Refusal {
    try {
      return act()
    } catch (error) {
      this.tell(plugin, pod, error)
      return { _tag: "Error", message: errorMessage(error) }
    }
  }

  /** One that cannot say so has its turn, and says there what is wrong. */
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
