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

/** What an eviction manager works with: the node's machine, its pods, and whom it tells. */
export interface EvictionManagerOptions {
  readonly timers: TimersShape
  readonly config: KubeletConfig
  readonly release: Release
  readonly resources: HostResources
  readonly activePods: () => ReadonlyArray<Pod>
  readonly killPod: KillPod
  /** Told of each change of a condition; others may set the same conditions, see `PressureSources`. */
  readonly setPressure: (kind: PressureKind, underPressure: boolean) => void
  readonly nodeEvent: (type: "Normal" | "Warning", reason: string, message: string) => void
  readonly recorder: Pick<EventRecorder, "event"> | undefined
  readonly meter?: EvictionMeter
}

/**
 * The eviction manager of one kubelet. It looks every 10 s; on a machine that tells of its changes, only at those of these
 * instants at which there may be something to see. After an eviction it waits up to 30 s for the pod to be cleaned up, and looks
 * again at once. Upstream: pkg/kubelet/eviction/eviction_manager.go Start.
 */
export class EvictionManager {
  private readonly options: EvictionManagerOptions
  private readonly settings: EvictionSettings
  private state = noPressure
  private running = false
  /** Something is being thrown away, or a pod ended. */
  private busy = false
  /** The machine told of a change since it was last looked at. */
  private changed = false
  /** Looks are counted from the end of the last one. */
  private restedAtMs = 0
  private timer: Timer | undefined
  private timerAtMs = 0
  /** Counts the starts: what was begun before a stop goes on without this. */
  private run = 0

  constructor(options: EvictionManagerOptions) {
    this.options = options
    this.settings = evictionSettings(options.config)
    options.resources.onChange?.(() => this.machineChanged())
  }

  /** What it measured calls for these, sorted. */
  get conditions(): ReadonlyArray<PressureKind> {
    return this.state.conditions
  }

  /** Keeps pods away while the node is under pressure by what was measured. */
  get admission(): PodAdmitHandler {
    return pressureAdmission(() => this.state.conditions, this.settings.podLevelResources)
  }

  /** The kubelet's process starts, and knows nothing of earlier pressure. */
  start(): void {
    const { localStorageCapacityIsolation, thresholds } = this.settings
    if (this.running || (thresholds.length === 0 && !localStorageCapacityIsolation)) return
    this.running = true
    this.look()
  }

  /** The process ends, and with it the conditions that only it knew of. */
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

  /** What is called back after a stop is not heard. */
  private heard(callback: () => void): () => void {
    const { run } = this
    return () => {
      if (this.run === run) this.guard(callback)
    }
  }

  /** What throws ends the look: the next one comes after the usual pause. */
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

  private readonly look = (): void => this.guard(() => this.judge())

  private judge(): void {
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

  /** Throws things away one after the other; if that is not enough, a pod goes. */
  private reclaim(pass: EvictionPass, relief: NodeRelief, from: number): void {
    const { resources } = this.options
    const what = relief.reclaim[from]
    if (what !== undefined && resources.reclaim !== undefined) {
      resources.reclaim(
        what,
        this.heard(() => this.reclaim(pass, relief, from + 1))
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
      done: this.heard(() => {
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
        else this.look()
      })
    )
  }

  private rest(): void {
    this.busy = false
    this.restedAtMs = this.options.timers.now()
    this.plan(this.nextChangeMs())
  }

  /** When the next look may find something new by itself; Infinity if it cannot. */
  private nextChangeMs(): number {
    const { metSinceMs, observedMs } = this.state
    if (this.options.resources.onChange === undefined || this.changed || metSinceMs.size > 0) return this.restedAtMs
    return Math.min(...observedMs.values()) + this.settings.transitionPeriodMs
  }

  /** Plans the first look that is not before a time, unless an earlier one is planned. */
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
    this.timer = timers.at(atMs, this.look)
  }
}
