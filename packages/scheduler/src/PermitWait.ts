import { formatDuration } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import { type BindingFailure, errorMessage, pluginFailed, rejectedBy } from "./BindingFailure.ts"
import type { Hold, PermitPlugin, WaitingPod } from "./BindingPlugin.ts"
import type { PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import { labelOf, type SchedulingEvent } from "./queue/SchedulingEvent.ts"

/** The limit on a plugin's timeout. */
const LONGEST_WAIT_MS = 900_000

/**
 * A plugin that keeps the pod waiting, and an event since then that could make the pod schedulable if it is rejected.
 */
interface Holding {
  readonly plugin: PermitPlugin
  readonly timer: Timer
  helped: string | undefined
}

/**
 * Keeps a pod waiting until each of its plugins allows it, or one rejects it or times out.
 * Upstream: pkg/scheduler/framework/runtime/waiting_pods_map.go.
 */
export class PermitWait {
  private readonly holding = new Map<string, Holding>()
  private readonly timers: TimersShape
  private readonly pod: PodInfo
  private readonly node: string
  private readonly settle: (failure?: BindingFailure) => void
  private over = false

  constructor(pod: PodInfo, node: string, timers: TimersShape, settle: (failure?: BindingFailure) => void) {
    this.pod = pod
    this.node = node
    this.timers = timers
    this.settle = settle
  }

  /** Passes the pod to the plugins; one of them may allow it at once. */
  begin(holds: ReadonlyArray<readonly [PermitPlugin, Hold]>): void {
    for (const [plugin, { timeoutMs }] of holds) {
      const wait = Math.min(timeoutMs, LONGEST_WAIT_MS)
      const text = `rejected due to timeout after waiting ${formatDuration(wait)} at plugin ${plugin.name}`
      const timer = this.timers.after(wait, () => this.reject(plugin.name, text))
      this.holding.set(plugin.name, { plugin, timer, helped: undefined })
    }
    for (const [plugin, { hold }] of holds) {
      if (this.over) return
      try {
        hold(this.heldBy(plugin.name))
      } catch (error) {
        this.timers.handleError("scheduler plugin", error, { plugin: plugin.name, pod: this.pod.key })
        this.end()
        this.settle(pluginFailed("Permit", plugin.name, errorMessage(error)))
      }
    }
  }

  /** Records an event that may make the pod schedulable, should it be rejected. */
  noteEvent(event: SchedulingEvent, cache: SchedulingCache): void {
    for (const holding of this.holding.values()) {
      if (holding.helped === undefined && this.isHelp(holding.plugin, event, cache)) holding.helped = labelOf(event)
    }
  }

  private isHelp(plugin: PermitPlugin, event: SchedulingEvent, cache: SchedulingCache): boolean {
    try {
      return plugin.hint?.(this.pod, event, cache) ?? true
    } catch (error) {
      this.timers.handleError("queueing hint", error, { plugin: plugin.name, pod: this.pod.key })
      return true
    }
  }

  /** Ends the wait without callbacks. */
  end(): void {
    this.over = true
    for (const { timer } of this.holding.values()) this.timers.cancel(timer)
    this.holding.clear()
  }

  private heldBy(name: string): WaitingPod {
    return {
      pod: this.pod,
      node: this.node,
      allow: () => this.allow(name),
      reject: (reason) => this.reject(name, reason)
    }
  }

  private allow(name: string): void {
    const holding = this.holding.get(name)
    if (holding === undefined) return
    this.timers.cancel(holding.timer)
    this.holding.delete(name)
    if (this.holding.size > 0) return
    this.over = true
    this.settle()
  }

  private reject(name: string, reason: string): void {
    const holding = this.holding.get(name)
    if (holding === undefined) return
    this.end()
    this.settle(rejectedBy([name], reason, holding.helped))
  }
}
