import { guarded, type Timer, type TimersShape } from "@rollcall/time"
import type { PodRefusal } from "../admission/PodAdmitHandler.ts"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { HostReadings, HostResources } from "../runtime/NodeHost.ts"

const MB = 2 ** 20
/** The filesystems that are checked: that of pods, and that of images. */
const SIGNALS = ["nodefs.available", "imagefs.available"]

/** The settings of the condition OutOfDisk. */
export type DiskLimits = Pick<KubeletConfig, "lowDiskSpaceThresholdMB" | "outOfDiskTransitionFrequencyMs">

/** Whether the condition OutOfDisk is True, and since when. */
export interface OutOfDiskState {
  readonly outOfDisk: boolean
  readonly sinceMs: number
}

/** Whether one of the filesystems has less free space than the limit. Upstream 1.4: pkg/kubelet/disk_manager.go. */
export const isLowOnDisk = (
  { signals }: Pick<HostReadings, "signals">,
  { lowDiskSpaceThresholdMB }: DiskLimits
): boolean =>
  SIGNALS.some((signal) => {
    const reading = signals[signal]
    return reading !== undefined && reading.available < lowDiskSpaceThresholdMB * MB
  })

/**
 * Returns the next state: OutOfDisk becomes True at once, and False no sooner than the transition frequency after that.
 * Upstream 1.4: pkg/kubelet/kubelet_node_status.go setNodeOODCondition.
 */
export const nextOutOfDisk = (
  state: OutOfDiskState,
  isLow: boolean,
  nowMs: number,
  { outOfDiskTransitionFrequencyMs }: DiskLimits
): OutOfDiskState => {
  if (isLow === state.outOfDisk) return state
  return isLow || nowMs - state.sinceMs >= outOfDiskTransitionFrequencyMs ? { outOfDisk: isLow, sinceMs: nowMs } : state
}

/** The refusal of every pod while the disk is full. Upstream 1.4: pkg/kubelet/kubelet.go canAdmitPod. */
export const outOfDiskRefusal: PodRefusal = {
  reason: "OutOfDisk",
  message: "cannot be started due to lack of disk space."
}

const NOT_OUT_OF_DISK: OutOfDiskState = { outOfDisk: false, sinceMs: Number.NEGATIVE_INFINITY }

/** The dependencies of an OutOfDisk. */
export interface OutOfDiskOptions {
  readonly timers: TimersShape
  readonly limits: DiskLimits
  readonly resources: HostResources
  /** The period in which a machine is checked that does not report its changes. */
  readonly periodMs: number
  /** Called for each change of the condition. */
  readonly changed: (outOfDisk: boolean) => void
}

/** Monitors the free space of a machine for kubelets of releases with the condition OutOfDisk. */
export class OutOfDisk {
  private readonly options: OutOfDiskOptions
  private state = NOT_OUT_OF_DISK
  private running = false
  private timer: Timer | undefined

  constructor(options: OutOfDiskOptions) {
    this.options = options
    options.resources.onChange?.(this.check)
  }

  /** Whether free space is below the limit now. */
  get isLow(): boolean {
    const { limits, resources } = this.options
    return this.running && isLowOnDisk(resources.read(), limits)
  }

  start(): void {
    if (this.running) return
    this.running = true
    this.check()
  }

  /** Ends with the process, and resets the condition. */
  stop(): void {
    if (!this.running) return
    this.running = false
    this.cancelTimer()
    this.setState(NOT_OUT_OF_DISK)
  }

  private readonly check = (): void => {
    if (!this.running) return
    const { limits, periodMs, resources, timers } = this.options
    this.cancelTimer()
    guarded(timers, "disk manager", () => {
      const now = timers.now()
      this.setState(nextOutOfDisk(this.state, isLowOnDisk(resources.read(), limits), now, limits))
    })
    const { outOfDisk, sinceMs } = this.state
    const reportsChanges = resources.onChange !== undefined
    // A machine that reports its changes is checked again only when the condition may become False.
    const nextMs = reportsChanges ? sinceMs + limits.outOfDiskTransitionFrequencyMs : timers.now() + periodMs
    if (!reportsChanges || (outOfDisk && nextMs > timers.now())) this.timer = timers.at(nextMs, this.check)
  }

  private setState(state: OutOfDiskState): void {
    const { outOfDisk } = this.state
    this.state = state
    if (state.outOfDisk !== outOfDisk) this.options.changed(state.outOfDisk)
  }

  private cancelTimer(): void {
    if (this.timer !== undefined) this.options.timers.cancel(this.timer)
    this.timer = undefined
  }
}
