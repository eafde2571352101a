import type { Pod, Release } from "@rollcall/api"
import type { EventRecorder } from "@rollcall/cluster"
import type { Timer, TimersShape } from "@rollcall/time"
import type { PodAdmitHandler } from "../admission/PodAdmitHandler.ts"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { PressureKind } from "../node/Conditions.ts"
import type { KillPod } from "../pod/PodKill.ts"
import type { HostResources } from "../runtime/NodeHost.ts"
import { type EvictionSettings, evictionSettings, noPressure } from "./EvictionState.ts"
import {
  type EvictionPass,
  evictionPass,
  evictionsOf,
  type NodeRelief,
  type PodEviction,
  thresholdMetEvent
} from "./evictionPass.ts"
import type { EvictionMeter } from "./metrics.ts"
import { evicted, pressureAdmission } from "./PressureAdmission.ts"

const PERIOD_MS = 10_000
const CLEAN_UP_POLL_MS = 1000
const CLEAN_UP_TIMEOUT_MS = 30_000

/** The dependencies of an eviction manager: the node's machine, its pods, and callbacks. */
export interface EvictionManagerOptions {
  readonly timers: TimersShape
  readonly config: KubeletConfig
  readonly release: Release
  readonly resources: HostResources
  readonly activePods: () => ReadonlyArray<Pod>
  readonly killPod: KillPod
  /** Called for each change of a condition; others may set the same conditions, see `PressureSources`. */
  readonly setPressure: (kind: PressureKind, underPressure: boolean) => void
  readonly nodeEvent: (type: "Normal" | "Warning", reason: string, message: string) => void
  readonly recorder: Pick<EventRecorder, "event"> | undefined
  readonly meter?: EvictionMeter
}

/**
 * The eviction manager of one kubelet. It synchronizes every 10 s; on a machine that reports its changes, only at
 * those of these instants at which something may have changed. After an eviction it waits up to 30 s for the pod's
 * cleanup, and synchronizes again at once. Upstream: pkg/kubelet/eviction/eviction_manager.go Start.
 */
export class EvictionManager {
  private readonly options: EvictionManagerOptions
  private readonly settings: EvictionSettings
  private state = noPressure
  private running = false
  /** Resources are being reclaimed, or a pod evicted. */
  private busy = false
  /** The machine has reported a change since the last synchronization. */
  private changed = false
  /** The end of the last synchronization, from which the period counts. */
  private restedAtMs = 0
  private timer: Timer | undefined
  private timerAtMs = 0
  /** Number of starts: a callback from before a stop is ignored. */
  private run = 0

  constructor(options: EvictionManagerOptions) {
    this.options = options
    this.settings = evictionSettings(options.config)
    options.resources.onChange?.(() => this.machineChanged())
  }

  /** The node conditions from measurements, sorted. */
  get conditions(): ReadonlyArray<PressureKind> {
    return this.state.conditions
  }

  /** Refuses pods while measurements show pressure. */
  get admission(): PodAdmitHandler {
    return pressureAdmission(() => this.state.conditions, this.settings.podLevelResources)
  }

  /** Starts without conditions, as a new kubelet process. */
  start(): void {
    const { localStorageCapacityIsolation, thresholds } = this.settings
    if (this.running || (thresholds.length === 0 && !localStorageCapacityIsolation)) return
    this.running = true
    this.tick()
  }

  /** Ends with the process, and drops its conditions. */
  stop(): void {
    if (!this.running) return
    this.running = false
    this.busy = false
    this.run++
    if (this.timer !== undefined) this.options.timers.cancel(this.timer)
    this.timer = undefined
    this.adopt(noPressure)
  }

  private machineChanged(): void {
    if (!this.running) return
    this.changed = true
    if (!this.busy) this.plan(this.options.timers.now())
  }

  /** Ignores a callback after a stop. */
  private unlessStopped(callback: () => void): () => void {
    const { run } = this
    return () => {
      if (this.run === run) this.guard(callback)
    }
  }

  /** An exception ends the synchronization: the next one follows after the usual period. */
  private guard(act: () => void): void {
    const { timers } = this.options
    try {
      act()
    } catch (error) {
      timers.handleError("eviction manager", error)
      if (!this.running) return
      this.run++
      this.busy = false
      this.restedAtMs = timers.now()
      this.plan(this.restedAtMs)
    }
  }

  private readonly tick = (): void => this.guard(() => this.synchronize())

  private synchronize(): void {
    const { activePods, nodeEvent, resources, timers } = this.options
    this.timer = undefined
    this.busy = true
    this.changed = false
    const pass = evictionPass(this.state, resources.read(), activePods(), timers.now(), this.settings)
    const { relief, state } = pass
    this.adopt(state)
    if (relief === undefined) this.evictFor(pass)
    else {
      const { message, reason, type } = thresholdMetEvent(relief)
      nodeEvent(type, reason, message)
      this.reclaim(pass, relief, 0)
    }
  }

  private adopt(state: typeof noPressure): void {
    const before = this.state.conditions
    this.state = state
    for (const kind of before) if (!state.conditions.includes(kind)) this.options.setPressure(kind, false)
    for (const kind of state.conditions) if (!before.includes(kind)) this.options.setPressure(kind, true)
  }

  /** Reclaims node-level resources one after the other; if that does not suffice, evicts a pod. */
  private reclaim(pass: EvictionPass, relief: NodeRelief, from: number): void {
    const { resources } = this.options
    const what = relief.reclaim[from]
    if (what !== undefined && resources.reclaim !== undefined) {
      resources.reclaim(
        what,
        this.unlessStopped(() => this.reclaim(pass, relief, from + 1))
      )
      return
    }
    this.evictFor(pass)
  }

  private evictFor(pass: EvictionPass): void {
    const { meter, resources } = this.options
    const evictions = evictionsOf(pass, () => resources.read().signals)
    if (evictions.length === 0) {
      this.rest()
      return
    }
    for (const [signal, seconds] of pass.relief?.statsAges ?? []) meter?.statsAge(signal, seconds)
    this.evictAll(evictions, 0)
  }

  private evictAll(evictions: ReadonlyArray<PodEviction>, from: number): void {
    const eviction = evictions[from]
    if (eviction === undefined) {
      const uids = evictions.map(({ pod }) => pod.metadata.uid ?? "")
      this.awaitCleanUp(uids, this.options.timers.now() + CLEAN_UP_TIMEOUT_MS)
      return
    }
    const { config, killPod, meter, recorder } = this.options
    const { annotations, graceSeconds, message, nodePressure, pod, signal } = eviction
    recorder?.event(pod, "Warning", evicted, message, annotations)
    killPod(pod.metadata.uid ?? "", {
      graceSeconds,
      reason: evicted,
      message,
      ...(nodePressure && config.featureGates.PodDisruptionConditions ? { disruption: message } : {}),
      done: this.unlessStopped(() => {
        meter?.evicted(signal)
        this.evictAll(evictions, from + 1)
      })
    })
  }

  private awaitCleanUp(uids: ReadonlyArray<string>, untilMs: number): void {
    const { activePods, timers } = this.options
    this.timerAtMs = timers.now() + CLEAN_UP_POLL_MS
    this.timer = timers.at(this.timerAtMs, () =>
      this.guard(() => {
        const held = timers.now() < untilMs && activePods().some(({ metadata }) => uids.includes(metadata.uid ?? ""))
        if (held) this.awaitCleanUp(uids, untilMs)
        else this.tick()
      })
    )
  }

  private rest(): void {
    this.busy = false
    this.restedAtMs = this.options.timers.now()
    this.plan(this.nextChangeMs())
  }

  /** When measurements may change without an event; Infinity if they do not. */
  private nextChangeMs(): number {
    const { metSinceMs, observedMs } = this.state
    if (this.options.resources.onChange === undefined || this.changed || metSinceMs.size > 0) return this.restedAtMs
    return Math.min(...observedMs.values()) + this.settings.transitionPeriodMs
  }

  /** Plans a synchronization at the first instant that is not before this time, unless an earlier one is planned. */
  private plan(notBeforeMs: number): void {
    if (notBeforeMs === Number.POSITIVE_INFINITY) return
    const { timers } = this.options
    const periods = Math.max(1, Math.ceil((notBeforeMs - this.restedAtMs) / PERIOD_MS))
    const atMs = this.restedAtMs + periods * PERIOD_MS
    if (this.timer !== undefined) {
      if (this.timerAtMs <= atMs) return
      timers.cancel(this.timer)
    }
    this.timerAtMs = Math.max(atMs, timers.now())
    this.timer = timers.at(atMs, this.tick)
  }
}
