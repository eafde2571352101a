import { formatDuration } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import { type BindingFailure, errorMessage, pluginFailed, rejectedBy } from "./BindingFailure.ts"
import type { Hold, PermitPlugin, WaitingPod } from "./BindingPlugin.ts"
import type { PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import { labelOf, type SchedulingEvent } from "./queue/SchedulingEvent.ts"

/** The limit on a plugin's timeout. Upstream: runtime/framework.go maxTimeout. */
const MAX_TIMEOUT_MS = 900_000

/**
 * A plugin that keeps the pod waiting. `helpfulEvent` is the label of the first event since then that could make the pod
 * schedulable, should this plugin reject it.
 */
interface WaitingPlugin {
  readonly plugin: PermitPlugin
  readonly timer: Timer
  helpfulEvent: string | undefined
}

/**
 * Keeps a pod waiting until each of its plugins allows it, or one rejects it or times out; then calls `onEnd`.
 * Upstream: pkg/scheduler/framework/runtime/waiting_pods_map.go.
 */
export class PermitWait {
  /** The plugins that have not allowed the pod yet, by name. */
  private readonly waitingPlugins = new Map<string, WaitingPlugin>()
  private readonly timers: TimersShape
  private readonly pod: PodInfo
  private readonly node: string
  private readonly onEnd: (failure?: BindingFailure) => void
  private hasEnded = false

  constructor(pod: PodInfo, node: string, timers: TimersShape, onEnd: (failure?: BindingFailure) => void) {
    this.pod = pod
    this.node = node
    this.timers = timers
    this.onEnd = onEnd
  }

  /** Starts the timeouts and passes the pod to the plugins, which may allow or reject it at once. */
  start(holds: ReadonlyArray<readonly [PermitPlugin, Hold]>): void {
    for (const [plugin, { timeoutMs }] of holds) {
      const wait = Math.min(timeoutMs, MAX_TIMEOUT_MS)
      const text = `rejected due to timeout after waiting ${formatDuration(wait)} at plugin ${plugin.name}`
      const timer = this.timers.after(wait, () => this.reject(plugin.name, text))
      this.waitingPlugins.set(plugin.name, { plugin, timer, helpfulEvent: undefined })
    }
    for (const [plugin, { hold }] of holds) {
      if (this.hasEnded) return
      try {
        hold(this.waitingPodFor(plugin.name))
      } catch (error) {
        this.timers.handleError("scheduler plugin", error, { plugin: plugin.name, pod: this.pod.key })
        this.cancel()
        this.onEnd(pluginFailed("Permit", plugin.name, errorMessage(error)))
      }
    }
  }

  /** Records an event that may make the pod schedulable, should a plugin reject it. */
  noteEvent(event: SchedulingEvent, cache: SchedulingCache): void {
    for (const waiting of this.waitingPlugins.values()) {
      if (waiting.helpfulEvent !== undefined || !this.hintAccepts(waiting.plugin, event, cache)) continue
      waiting.helpfulEvent = labelOf(event)
    }
  }

  /** A plugin without a hint, or whose hint throws, accepts every event. */
  private hintAccepts(plugin: PermitPlugin, event: SchedulingEvent, cache: SchedulingCache): boolean {
    try {
      return plugin.hint?.(this.pod, event, cache) ?? true
    } catch (error) {
      this.timers.handleError("queueing hint", error, { plugin: plugin.name, pod: this.pod.key })
      return true
    }
  }

  /** Ends the wait without calling `onEnd`. */
  cancel(): void {
    this.hasEnded = true
    for (const { timer } of this.waitingPlugins.values()) this.timers.cancel(timer)
    this.waitingPlugins.clear()
  }

  private waitingPodFor(name: string): WaitingPod {
    return {
      pod: this.pod,
      node: this.node,
      allow: () => this.allow(name),
      reject: (reason) => this.reject(name, reason)
    }
  }

  private allow(name: string): void {
    const waiting = this.waitingPlugins.get(name)
    if (waiting === undefined) return
    this.timers.cancel(waiting.timer)
    this.waitingPlugins.delete(name)
    if (this.waitingPlugins.size > 0) return
    this.hasEnded = true
    this.onEnd()
  }

  private reject(name: string, reason: string): void {
    const waiting = this.waitingPlugins.get(name)
    if (waiting === undefined) return
    this.cancel()
    this.onEnd(rejectedBy([name], reason, waiting.helpfulEvent))
  }
}
