import { isNotFound } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { type BindingFailure, errorMessage, pluginFailed, refusedBy, rejectedBy } from "./BindingFailure.ts"
import type { BindingPoints, BindingTools, Hold, PermitPlugin, PreBindPlugin, Refusal } from "./BindingPlugin.ts"
import type { PodInfo } from "./cache/CacheRecords.ts"
import { PermitWait } from "./PermitWait.ts"
import type { PodWrites } from "./PodWrites.ts"
import type { SchedulingEvent } from "./queue/SchedulingEvent.ts"
import { schedulerNameOf } from "./SchedulerConfig.ts"

/** What the binding of pods needs. */
export interface BindingsParts extends BindingTools {
  readonly writes: PodWrites
  /** By schedulerName; contains only profiles that have a plugin for one of the points. */
  readonly points: ReadonlyMap<string, BindingPoints>
  /** Whether a pod that has to wait before it is bound gets status.nominatedNodeName: NominatedNodeNameForExpectation. */
  readonly nominates: boolean
  /** Records a normal Event about a pod that is being bound. */
  readonly onNote: (pod: PodInfo, reason: string, message: string) => void
}

/**
 * Receives the result: without a failure, the pod is bound. `nominated` says that status.nominatedNodeName of the pod is
 * the selected node, or that the request which sets it is under way.
 */
type OnFinish = (failure: BindingFailure | undefined, nominated: boolean) => void

/** A pod between the selection of a node and the binding. Upstream: the bindingCycle of one pod. */
interface BindingCycle {
  readonly pod: PodInfo
  readonly node: string
  readonly points: BindingPoints
  readonly onFinish: OnFinish
  /** Undefined unless the pod waits for permit plugins. */
  permitWait: PermitWait | undefined
  /** The name of the running preBind plugin, and the function that cancels its work. */
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
  private readonly cycles = new Map<string, BindingCycle>()

  constructor(parts: BindingsParts) {
    this.parts = parts
  }

  /** Pods that wait for a plugin, by key. */
  get waiting(): ReadonlyMap<string, { readonly pod: PodInfo; readonly node: string }> {
    return this.cycles
  }

  /**
   * Starts to bind a pod to the node. Calls `onFinish` once, unless the pod is abandoned first; after a failure all
   * plugins have unreserved.
   */
  start(pod: PodInfo, node: string, onFinish: OnFinish): void {
    const points = this.parts.points.get(schedulerNameOf(pod.pod))
    if (points === undefined) {
      this.bind(pod, node, undefined, onFinish, false)
      return
    }
    const { cache } = this.parts
    const refuse = (failure: BindingFailure) => {
      this.unreserve(points, pod, node)
      onFinish(failure, false)
    }
    for (const plugin of points.reserve) {
      const refusal = this.errorAsRefusal(plugin.name, pod, () => plugin.reserve(pod, node, cache))
      if (refusal !== undefined) {
        refuse(refusedBy("Reserve", plugin.name, refusal))
        return
      }
    }
    let holds: Array<readonly [PermitPlugin, Hold]> | undefined
    for (const plugin of points.permit) {
      const verdict = this.errorAsRefusal(plugin.name, pod, () => plugin.permit(pod, node, cache))
      if (verdict === undefined) continue
      if (verdict._tag !== "Wait") {
        refuse(refusedBy("Permit", plugin.name, verdict))
        return
      }
      holds ??= []
      holds.push([plugin, verdict])
    }
    if (holds === undefined && !points.preBind.some((plugin) => this.isConcerned(plugin, pod, node))) {
      this.bind(pod, node, points, onFinish, false)
      return
    }
    this.wait({ pod, node, points, onFinish, permitWait: undefined, plugin: "", stop: undefined }, holds)
  }

  /** Cancels the binding of a pod that was deleted, or was observed on a node, and unreserves. */
  abandon(key: string): void {
    const cycle = this.cancelWork(key)
    if (cycle !== undefined) this.unreserve(cycle.points, cycle.pod, cycle.node)
  }

  /** Ends the binding of a waiting pod with a failure, because the pod was preempted. */
  preempt(key: string): void {
    const cycle = this.cycles.get(key)
    if (cycle === undefined) return
    const waitsForPermit = cycle.permitWait !== undefined
    this.fail(
      cycle,
      waitsForPermit ? rejectedBy([], "preempted") : pluginFailed("PreBind", cycle.plugin, "context canceled")
    )
  }

  /** Records an event that may make a waiting pod schedulable, in case it is rejected later. */
  noteEvent(event: SchedulingEvent): void {
    // An update of a pod without a node cannot help any other pod.
    if (this.cycles.size === 0 || event._tag === "UnscheduledPodUpdated") return
    for (const { permitWait } of this.cycles.values()) permitWait?.noteEvent(event, this.parts.cache)
  }

  /** Cancels all work; calls no `onFinish` and unreserves nothing. */
  close(): void {
    for (const key of [...this.cycles.keys()]) this.cancelWork(key)
  }

  private wait(cycle: BindingCycle, holds: ReadonlyArray<readonly [PermitPlugin, Hold]> | undefined): void {
    const { node, pod } = cycle
    this.cycles.set(pod.key, cycle)
    if (this.parts.nominates) this.parts.writes.nominate(pod.pod, node)
    if (holds === undefined) {
      this.runPreBind(cycle, 0)
      return
    }
    cycle.permitWait = new PermitWait(pod, node, this.parts.timers, (failure) => {
      cycle.permitWait = undefined
      if (failure === undefined) this.runPreBind(cycle, 0)
      else this.fail(cycle, failure)
    })
    cycle.permitWait.start(holds)
  }

  /** Runs the preBind plugins from this index on, one after the other, then binds. */
  private runPreBind(cycle: BindingCycle, index: number): void {
    const { node, pod, points } = cycle
    const plugin = points.preBind[index]
    if (plugin === undefined) {
      this.cycles.delete(pod.key)
      this.bind(pod, node, points, cycle.onFinish, this.parts.nominates)
      return
    }
    if (!this.isConcerned(plugin, pod, node)) {
      this.runPreBind(cycle, index + 1)
      return
    }
    const { cache, connection, onNote, timers } = this.parts
    const note = (reason: string, message: string) => onNote(pod, reason, message)
    let isDone = false
    const done = (problem?: string) => {
      if (isDone || this.cycles.get(pod.key) !== cycle) return
      isDone = true
      cycle.stop = undefined
      if (problem === undefined) this.runPreBind(cycle, index + 1)
      else this.fail(cycle, pluginFailed("PreBind", plugin.name, problem))
    }
    cycle.plugin = plugin.name
    let stop: (() => void) | undefined
    try {
      stop = plugin.preBind({ cache, connection, timers, pod, node, note, done })
    } catch (error) {
      this.reportError(plugin.name, pod, error)
      done(errorMessage(error))
      return
    }
    if (!isDone) cycle.stop = stop
  }

  private reportError(plugin: string, { key }: PodInfo, error: unknown): void {
    this.parts.timers.handleError("scheduler plugin", error, { plugin, pod: key })
  }

  /** Runs a function of a plugin; an exception becomes a refusal. */
  private errorAsRefusal<A>(plugin: string, pod: PodInfo, act: () => A): A | Refusal {
    try {
      return act()
    } catch (error) {
      this.reportError(plugin, pod, error)
      return { _tag: "Error", message: errorMessage(error) }
    }
  }

  /** A `concerns` that throws counts as true: `preBind` then reports the error. */
  private isConcerned(plugin: PreBindPlugin, pod: PodInfo, node: string): boolean {
    try {
      return plugin.concerns?.(pod, node, this.parts.cache) ?? true
    } catch (error) {
      this.reportError(plugin.name, pod, error)
      return true
    }
  }

  /** Runs a function of a plugin; an exception is only reported. */
  private errorAsReport(plugin: string, pod: PodInfo, act: () => void): void {
    try {
      act()
    } catch (error) {
      this.reportError(plugin, pod, error)
    }
  }

  private bind(
    pod: PodInfo,
    node: string,
    points: BindingPoints | undefined,
    onFinish: OnFinish,
    nominated: boolean
  ): void {
    this.parts.writes.bind(pod.pod, node, (answer) => {
      if (Result.isSuccess(answer)) {
        onFinish(undefined, nominated)
        for (const plugin of points?.postBind ?? []) {
          this.errorAsReport(plugin.name, pod, () => plugin.postBind(pod, node, this.parts.cache))
        }
        return
      }
      if (points !== undefined) this.unreserve(points, pod, node)
      const { failure } = answer
      const isGone = isNotFound(failure)
      onFinish(isGone ? { _tag: "Gone" } : pluginFailed("Bind", "DefaultBinder", failure.message), nominated)
    })
  }

  private fail({ node, onFinish, pod, points }: BindingCycle, failure: BindingFailure): void {
    this.cancelWork(pod.key)
    this.unreserve(points, pod, node)
    onFinish(failure, this.parts.nominates)
  }

  /** Forgets a pod, and cancels its wait and the running plugin. Returns undefined if the pod was unknown. */
  private cancelWork(key: string): BindingCycle | undefined {
    const cycle = this.cycles.get(key)
    if (cycle === undefined) return undefined
    this.cycles.delete(key)
    cycle.permitWait?.cancel()
    this.errorAsReport(cycle.plugin, cycle.pod, () => cycle.stop?.())
    return cycle
  }

  private unreserve({ reserve }: BindingPoints, pod: PodInfo, node: string): void {
    for (const plugin of reserve.toReversed()) {
      this.errorAsReport(plugin.name, pod, () => plugin.unreserve(pod, node, this.parts.cache))
    }
  }
}
