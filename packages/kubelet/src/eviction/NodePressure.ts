import type { Pod, Release } from "@rollcall/api"
import type { EventRecorder } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import { judgingAlone, type PodAdmitHandler } from "../admission/PodAdmitHandler.ts"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { PressureKind } from "../node/Conditions.ts"
import type { KillPod } from "../pod/PodKill.ts"
import type { HostResources } from "../runtime/NodeHost.ts"
import { EvictionManager } from "./EvictionManager.ts"
import type { EvictionMeter } from "./metrics.ts"
import { OutOfDisk, outOfDiskRefusal } from "./OutOfDisk.ts"
import { pressureRefusal } from "./PressureAdmission.ts"
import { PressureSources } from "./PressureSources.ts"

/** The dependencies of a NodePressure: the node's machine, its pods, and callbacks. */
export interface NodePressureOptions {
  readonly timers: TimersShape
  readonly config: KubeletConfig
  readonly release: Release
  /** Undefined if the machine never runs out of anything by itself. */
  readonly resources: HostResources | undefined
  readonly activePods: () => ReadonlyArray<Pod>
  readonly killPod: KillPod
  readonly nodeEvent: (type: "Normal" | "Warning", reason: string, message: string) => void
  readonly recorder: Pick<EventRecorder, "event"> | undefined
  readonly meter: EvictionMeter | undefined
  /** Called with the state of a condition after each change of one of its sources. */
  readonly changed: (kind: PressureKind, underPressure: boolean) => void
}

/**
 * The pressure conditions of a node. They are measured by its eviction manager and, in old releases, its disk manager,
 * or set by a fault.
 */
export class NodePressure {
  private readonly sources: PressureSources
  private readonly eviction: EvictionManager | undefined
  /** Defined only for releases with the condition OutOfDisk. */
  private readonly outOfDisk: OutOfDisk | undefined

  constructor(options: NodePressureOptions) {
    const { config, meter, release, resources, timers } = options
    this.sources = new PressureSources(options.changed)
    if (resources === undefined) return
    if (release.kubeletConditions.includes("OutOfDisk")) {
      this.outOfDisk = new OutOfDisk({
        timers,
        limits: config,
        resources,
        periodMs: config.nodeStatusUpdateFrequencyMs,
        changed: (outOfDisk) => this.sources.observe("OutOfDisk", outOfDisk)
      })
    }
    this.eviction = new EvictionManager({
      timers,
      config,
      release,
      resources,
      activePods: options.activePods,
      killPod: options.killPod,
      setPressure: this.sources.observe,
      nodeEvent: options.nodeEvent,
      recorder: options.recorder,
      ...(meter === undefined ? {} : { meter })
    })
  }

  start(): void {
    this.outOfDisk?.start()
    this.eviction?.start()
  }

  stop(): void {
    this.outOfDisk?.stop()
    this.eviction?.stop()
  }

  /** Sets or resets a condition by a fault, regardless of measurements. */
  setFault(kind: PressureKind, underPressure: boolean): void {
    this.sources.setFault(kind, underPressure)
  }

  /**
   * Returns the admit handler for pressure. The eviction manager's rules do not apply to OutOfDisk, which refuses all
   * pods.
   */
  admitHandler(podLevelResources: boolean): PodAdmitHandler {
    const { sources } = this
    return judgingAlone((pod) => {
      const { conditions } = sources
      const evictable = conditions.length === 0 ? conditions : conditions.filter((kind) => kind !== "OutOfDisk")
      const isFull = this.outOfDisk?.isLow === true || sources.isFault("OutOfDisk")
      return pressureRefusal(evictable, pod, podLevelResources) ?? (isFull ? outOfDiskRefusal : undefined)
    })
  }
}
