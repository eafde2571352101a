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

/**
 * Upstream: pkg/kubelet/kubelet.go evictionMonitoringPeriod; pkg/kubelet/eviction/eviction_manager.go
 * podCleanupPollFreq, podCleanupTimeout.
 */
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
  /** Called for each change of a condition. Faults may set the same conditions, see `PressureSources`. */
  readonly setPressure: (kind: PressureKind, underPressure: boolean) => void
  readonly nodeEvent: (type: "Normal" | "Warning", reason: string, message: string) => void
  readonly recorder: Pick<EventRecorder, "event"> | undefined
  readonly meter?: EvictionMeter
}

/**
 * The eviction manager of one kubelet. It synchronizes every 10 s. On a machine that reports its changes, it leaves out
 * the times at which nothing can have changed. After an eviction it waits up to 30 s for the pod's cleanup, and then
 * synchronizes again at once. Upstream: pkg/kubelet/eviction/eviction_manager.go Start.
 */
export class EvictionManager {
  private readonly options: EvictionManagerOptions
  private readonly settings: EvictionSettings
  private state = noPressure
  private running = false
  /** Whether resources are being reclaimed, or a pod evicted. */
  private isBusy = false
  /** Whether the machine has reported a change since the last synchronization. */
  private hasChanged = false
  /** The end of the last synchronization, from which the period counts. */
  private lastEndMs = 0
  private timer: Timer | undefined
  private timerAtMs = 0
  /** Increased by each stop and each exception: a callback from before is ignored. */
  private epoch = 0

  constructor(options: EvictionManagerOptions) {
    this.options = options
    this.settings = evictionSettings(options.config)
    options.resources.onChange?.(() => this.machineChanged())
  }

  /** The conditions of the node that follow from measurements, sorted. */
  get conditions(): ReadonlyArray<PressureKind> {
    return this.state.conditions
  }

  /** The admit handler that refuses pods while measurements show pressure. */
  get admission(): PodAdmitHandler {
    return pressureAdmission(() => this.state.conditions, this.settings.podLevelResources)
  }

  /** Starts with a kubelet process, without conditions. Without anything to check it does nothing. */
  start(): void {
    const { localStorageCapacityIsolation, thresholds } = this.settings
    if (this.running || (thresholds.length === 0 && !localStorageCapacityIsolation)) return
    this.running = true
    this.onTimer()
  }

  /** Ends with the process, and resets its conditions. */
  stop(): void {
    if (!this.running) return
    this.running = false
    this.isBusy = false
    this.epoch++
    if (this.timer !== undefined) this.options.timers.cancel(this.timer)
    this.timer = undefined
    this.setState(noPressure)
  }

  private machineChanged(): void {
    if (!this.running) return
    this.hasChanged = true
    if (!this.isBusy) this.plan(this.options.timers.now())
  }

  /** Returns a callback that does nothing after a stop. */
  private unlessStopped(callback: () => void): () => void {
    const { epoch } = this
    return () => {
      if (this.epoch === epoch) this.guard(callback)
    }
  }

  /** Runs `act`. If it throws, the synchronization ends, and the next one follows after the usual period. */
  private guard(act: () => void): void {
    const { timers } = this.options
    try {
      act()
    } catch (error) {
      timers.handleError("eviction manager", error)
      if (!this.running) return
      this.epoch++
      this.isBusy = false
      this.lastEndMs = timers.now()
      this.plan(this.lastEndMs)
    }
  }

  private readonly onTimer = (): void => this.guard(() => this.synchronize())

  private synchronize(): void {
    const { activePods, nodeEvent, resources, timers } = this.options
    this.timer = undefined
    this.isBusy = true
    this.hasChanged = false
    const pass = evictionPass(this.state, resources.read(), activePods(), timers.now(), this.settings)
    const { relief, state } = pass
    this.setState(state)
    if (relief === undefined) this.evictFor(pass)
    else {
      const { message, reason, type } = thresholdMetEvent(relief)
      nodeEvent(type, reason, message)
      this.reclaim(pass, relief, 0)
    }
  }

  /** Replaces the state, and reports the conditions that have changed. */
  private setState(state: typeof noPressure): void {
    const before = this.state.conditions
    this.state = state
    for (const kind of before) if (!state.conditions.includes(kind)) this.options.setPressure(kind, false)
    for (const kind of state.conditions) if (!before.includes(kind)) this.options.setPressure(kind, true)
  }

  /**
   * Reclaims node-level resources one after the other, from index `first` on. Evicts a pod if that does not suffice.
   */
  private reclaim(pass: EvictionPass, relief: NodeRelief, first: number): void {
    const { resources } = this.options
    const what = relief.reclaim[first]
    if (what !== undefined && resources.reclaim !== undefined) {
      resources.reclaim(
        what,
        this.unlessStopped(() => this.reclaim(pass, relief, first + 1))
      )
      return
    }
    this.evictFor(pass)
  }

  private evictFor(pass: EvictionPass): void {
    const { meter, resources } = this.options
    const evictions = evictionsOf(pass, () => resources.read().signals)
    if (evictions.length === 0) {
      this.endSynchronization()
      return
    }
    for (const [signal, seconds] of pass.relief?.statsAges ?? []) meter?.statsAge(signal, seconds)
    this.evictAll(evictions, 0)
  }

  /** Kills the pods one after the other, from index `first` on, and then waits for their cleanup. */
  private evictAll(evictions: ReadonlyArray<PodEviction>, first: number): void {
    const eviction = evictions[first]
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
        this.evictAll(evictions, first + 1)
      })
    })
  }

  /** Checks every second whether the pods are gone, until `untilMs`, and then synchronizes again. */
  private awaitCleanUp(uids: ReadonlyArray<string>, untilMs: number): void {
    const { activePods, timers } = this.options
    this.timerAtMs = timers.now() + CLEAN_UP_POLL_MS
    this.timer = timers.at(this.timerAtMs, () =>
      this.guard(() => {
        const isStillThere =
          timers.now() < untilMs && activePods().some(({ metadata }) => uids.includes(metadata.uid ?? ""))
        if (isStillThere) this.awaitCleanUp(uids, untilMs)
        else this.onTimer()
      })
    )
  }

  private endSynchronization(): void {
    this.isBusy = false
    this.lastEndMs = this.options.timers.now()
    this.plan(this.nextChangeMs())
  }

  /**
   * Returns the time from which a synchronization may find something new without a reported change; Infinity if never.
   */
  private nextChangeMs(): number {
    const { metSinceMs, observedMs } = this.state
    if (this.options.resources.onChange === undefined || this.hasChanged || metSinceMs.size > 0) return this.lastEndMs
    return Math.min(...observedMs.values()) + this.settings.transitionPeriodMs
  }

  /**
   * Plans a synchronization at the first time of the period from `notBeforeMs` on, unless an earlier one is planned.
   */
  private plan(notBeforeMs: number): void {
    if (notBeforeMs === Number.POSITIVE_INFINITY) return
    const { timers } = this.options
    const periods = Math.max(1, Math.ceil((notBeforeMs - this.lastEndMs) / PERIOD_MS))
    const atMs = this.lastEndMs + periods * PERIOD_MS
    if (this.timer !== undefined) {
      if (this.timerAtMs <= atMs) return
      timers.cancel(this.timer)
    }
    this.timerAtMs = Math.max(atMs, timers.now())
    this.timer = timers.at(atMs, this.onTimer)
  }
}
